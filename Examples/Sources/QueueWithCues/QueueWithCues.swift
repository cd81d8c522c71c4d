import AVFoundation

/// Plays files one after the other without a gap. Prints a line when a quarter, a half and three quarters of a file have been heard.
///
///     swift run --package-path Examples QueueWithCues one.flac two.flac
@main @MainActor enum QueueWithCues {
    static func main() async throws {
        let items = CommandLine.arguments.dropFirst().map { AVPlayerItem(url: URL(filePath: $0)) }
        guard !items.isEmpty else { return print("usage: QueueWithCues FILE…") }
        let player = AVQueuePlayer(items: items)
        player.play()
        // The sequence yields the present item first, then each following item when it becomes current, and nil after the end of the last item.
        for await item in player.values(for: \.currentItem) {
            guard let item else { break }
            let name = (item.asset as? AVURLAsset)?.url.lastPathComponent ?? "?"
            do {
                let cues = Cues(of: try await item.asset.load(.duration), in: player, name: name)
                for await current in player.values(for: \.currentItem) where current != item { break }
                cues.remove()
            } catch {
                print("\(name): \(error.localizedDescription)")
            }
        }
        print("end")
    }
}

/// The time observer that prints the cues of one item: at a quarter, a half and three quarters of its duration.
@MainActor final class Cues {
    private let player: AVPlayer
    private let observer: Any

    init(of duration: CMTime, in player: AVPlayer, name: String) {
        self.player = player
        let quarters = (1...3).map { CMTimeMultiplyByRatio(duration, multiplier: $0, divisor: 4) }
        print("\(name): \(duration.seconds) s")
        observer = player.addBoundaryTimeObserver(forTimes: quarters, queue: .main) {
            // The block runs after the quarter was heard, so the position is rounded down. The times are rounded too, by less than the addend.
            MainActor.assumeIsolated { print("\(name): \(Int(player.currentTime().seconds / duration.seconds * 4 + 0.001)) of 4") }
        }
    }

    func remove() { player.removeTimeObserver(observer) }
}
