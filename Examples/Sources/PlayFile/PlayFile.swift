import AVFoundation
import Foundation

/// Plays a file or a URL, and shows the position and the duration in one line of the terminal.
///
///     swift run --package-path Examples PlayFile song.flac
@main @MainActor enum PlayFile {
    static func main() async {
        guard CommandLine.arguments.count == 2 else { return fail("usage: PlayFile FILE|URL", status: 2) }
        let argument = CommandLine.arguments[1]
        let url = URL(string: argument).flatMap { $0.scheme == nil ? nil : $0 } ?? URL(filePath: argument)
        let item = AVPlayerItem(url: url)
        let player = AVPlayer(playerItem: item)

        // The iterator is made before playback starts, because it receives only notifications that are posted after it was made.
        var ends = NotificationCenter.default.notifications(named: AVPlayerItem.didPlayToEndTimeNotification, object: item).makeAsyncIterator()
        let status = item.observe(\.status) { item, _ in
            if item.status == .failed { fail(item.error?.localizedDescription ?? "It cannot be played.", status: 1) }
        }
        let progress = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 2), queue: .main) { time in
            MainActor.assumeIsolated { show(time, of: item.duration) }
        }

        player.play()
        _ = await ends.next(isolation: #isolation)
        show(item.duration, of: item.duration)
        print()
        player.removeTimeObserver(progress)
        status.invalidate()
    }

    static func show(_ time: CMTime, of duration: CMTime) {
        print("\r\(text(time)) / \(text(duration))  ", terminator: "")
        fflush(nil)
    }

    static func text(_ time: CMTime) -> String {
        guard time.isNumeric else { return "–:––" }
        let seconds = Int(time.seconds)
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    nonisolated static func fail(_ message: String, status: Int32) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
