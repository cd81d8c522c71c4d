import AVFoundation

/// Seeks to the position of a moving finger. Only one seek is in progress at a time; after its end the next one seeks to the finger's position at
/// that moment. If each movement started a seek, it would cancel the preceding one, and nothing would be heard until the finger rests.
@MainActor final class Scrubber {
    private let player: AVPlayer
    private var wanted = CMTime.zero
    private var isSeeking = false
    private var chase: Task<Void, Never>?
    private(set) var seekCount = 0

    init(_ player: AVPlayer) { self.player = player }

    /// Seeks to the position of the finger: now, or after the seek in progress has ended.
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

    /// Returns after the player has reached the last position of the finger.
    func settle() async { await chase?.value }
}

/// Drags a simulated finger through a file and back to its middle. Prints the number of movements and of seeks, and the position at the end.
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
