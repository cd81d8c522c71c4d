import AVFoundation
import Foundation
import PlaybackTesting
import Synchronization

/// Records changes of properties and notifications as lines of text, in order.
final class Recorder: Sendable {
    private let lines = Mutex<[String]>([])
    private let ends = Mutex<[@Sendable () -> Void]>([])

    deinit { for end in ends.withLock({ $0 }) { end() } }

    var log: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func clear() { lines.withLock { $0 = [] } }

    /// Records every change of a property as `name=value`.
    @MainActor func observe<Object: KeyValueObserving, Value>(_ object: Object, _ name: String, _ keyPath: KeyPath<Object, Value>) {
        let token = object.observe(keyPath, options: [.new]) { [weak self] _, change in
            if let value = change.newValue { self?.add("\(name)=\(value)") }
        }
        ends.withLock { $0.append { token.invalidate() } }
    }

    /// Records every notification of an object as `label`, followed by the text that `describe` returns for it.
    func observe(
        _ name: Notification.Name, _ object: AnyObject, as label: String, _ describe: @escaping @Sendable (Notification) -> String = { _ in "" }
    ) {
        let token = NotificationToken(
            NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) { [weak self] in self?.add(label + describe($0)) })
        ends.withLock { $0.append { token.end() } }
    }

    @MainActor func observeTransport(_ player: AVPlayer) {
        observe(player, "rate", \.rate)
        observe(player, "status", \.timeControlStatus)
        observe(AVPlayer.rateDidChangeNotification, player, as: "rateDidChange") { notification in
            guard let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason else { return "(no reason)" }
            return "(\(reason.rawValue.dropFirst("AVPlayerRateDidChangeReason".count)))"
        }
    }

    @MainActor func observeEnds(_ item: AVPlayerItem, _ label: String = "") {
        observe(AVPlayerItem.didPlayToEndTimeNotification, item, as: "didPlayToEnd" + label)
        observe(AVPlayerItem.failedToPlayToEndTimeNotification, item, as: "failedToPlayToEnd" + label)
        observe(AVPlayerItem.playbackStalledNotification, item, as: "stalled" + label)
        observe(AVPlayerItem.timeJumpedNotification, item, as: "timeJumped" + label)
    }
}

/// `@unchecked Sendable`: the token is only passed back to the notification centre, which is thread-safe.
private final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ token: any NSObjectProtocol) { self.token = token }
    func end() { NotificationCenter.default.removeObserver(token) }
}

/// Returns a time of `value` milliseconds. The scripted engine has 1,000 frames per second, so that such a time is exact.
func ms(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 1_000) }
