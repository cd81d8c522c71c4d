import AVFoundation
import Foundation

/// Follows a finger: one seek is under way at a time, and when it is done the next goes to where the finger is by then. Plain seeks one after the other
/// would cancel each other, and nothing would be heard until the finger rests.
@MainActor final class Scrubber {
    private let player: AVPlayer
    private var wanted = CMTime.zero
    private var isSeeking = false
    private var chase: Task<Void, Never>?
    private(set) var seekCount = 0

    init(_ player: AVPlayer) { self.player = player }

    /// The finger is here now.
    func scrub(to time: CMTime) {
        wanted = time
        guard !isSeeking else { return }
        isSeeking = true
        chase = Task {
            var target: CMTime
            repeat {
                target = wanted
                seekCount += 1
                await player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
            } while target != wanted
            isSeeking = false
        }
    }

    /// Returns when the player is where the finger is.
    func settle() async { await chase?.value }
}

/// Drags through a file and back to its middle, and tells how many seeks that took and where it ended.
///
///     swift run --package-path Examples Scrub song.flac
@main @MainActor enum Main {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: Scrub FILE") }
        let item = AVPlayerItem(url: URL(filePath: CommandLine.arguments[1]))
        let player = AVPlayer(playerItem: item)
        let scrubber = Scrubber(player)
        for await status in item.values(for: \.status) where status != .unknown { break }
        guard item.status == .readyToPlay else { return print(item.error?.localizedDescription ?? "It cannot be played.") }

        let positions = Array(1...100) + (50..<100).reversed()
        for position in positions {
            scrubber.scrub(to: CMTimeMultiplyByRatio(item.duration, multiplier: Int32(position), divisor: 100))
            try await Task.sleep(for: .milliseconds(5))
        }
        await scrubber.settle()
        print("\(positions.count) moves, \(scrubber.seekCount) seeks, at \(player.currentTime().seconds) of \(item.duration.seconds) s")
    }
}
