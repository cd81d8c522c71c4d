import AVFoundation
import Foundation
import Platform
import PlaybackEngine

extension PlaylistPlayer {
    /// Observes the queue player until the returned objects are released.
    func observePlayer() -> [AnyObject] {
        let properties = [
            player.observeOnMain(\.timeControlStatus) { [weak self] player, _ in self?.statusDidChange(player) },
            player.observeOnMain(\.reasonForWaitingToPlay) { [weak self] player, _ in self?.statusDidChange(player) },
            player.observeOnMain(\.currentItem) { [weak self] _, _ in
                self?.loader.followPlayer()
                self?.followChapter()
            },
            player.observeOnMain(\.status) { [weak self] _, _ in self?.publisher.note(.itemLoaded) },
            player.observeOnMain(\.output) { [weak self] _, _ in self?.publisher.note(.outputChanged) },
            player.observeOnMain(\.outputError) { [weak self] _, _ in self?.publisher.note(.outputChanged) },
            player.observeOnMain(\.outputFormat) { [weak self] _, _ in self?.publisher.scheduleUpdate() },
            player.observeOnMain(\.silenceReason) { [weak self] _, _ in self?.publisher.note(.audioSessionChanged, isConsequence: true) },
            player.observeOnMain(\.isMuted) { [weak self] _, _ in self?.publisher.note(.settingsChanged, isConsequence: true) },
            player.session.observeOnMain(\.category) { [weak self] _, _ in self?.publisher.note(.audioSessionChanged) },
            player.session.observeOnMain(\.isActive) { [weak self] _, _ in self?.publisher.note(.audioSessionChanged, isConsequence: true) },
            player.session.observeOnMain(\.isInterrupted) { [weak self] _, _ in self?.publisher.note(.audioSessionChanged, isConsequence: true) },
        ]
        let notices = player.observeNotices { [weak self] in
            switch $0 {
            case .motionMayHaveChanged: self?.publisher.scheduleUpdate()
            case .volumeAdopted: self?.adoptVolume()
            case .outputLost, .noOutput, .outputRefused: break
            }
        }
        let notifications = [
            NotificationObserver(AVPlayer.rateDidChangeNotification, player) { [weak self] in
                self?.rateDidChange($0[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason)
            },
            NotificationObserver(AVAudioSession.interruptionNotification, player.session) { [weak self] in
                guard let interruption = AudioSessionState.Interruption($0) else { return }
                self?.publisher.send(.interruption(interruption))
            },
        ]
        let scheduler = environment.scheduler
        let routeChanges = NotificationToken(AVAudioSession.routeChangeNotification, player.session) { [weak self] notification in
            // The notification is posted on another thread (R-ROUTE-02).
            let reason = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt
            let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            scheduler.async { [weak self] in self?.routeDidChange(reason, from: previous) }
        }
        let all: [[AnyObject]] = [properties, notifications, [routeChanges, notices]]
        return all.flatMap { $0 }
    }

    private func routeDidChange(_ reason: UInt?, from previous: AVAudioSessionRouteDescription?) {
        let change = AudioSessionState.RouteChange(
            reason: reason.flatMap(AVAudioSession.RouteChangeReason.init) ?? .unknown, outputs: player.session.currentRoute.remotePorts,
            previousOutputs: previous?.remotePorts ?? [])
        publisher.send(.routeDidChange(change))
    }

    private func rateDidChange(_ reason: AVPlayer.RateDidChangeReason?) {
        let known: PlayerState.Reason =
            switch reason {
            case .setRateCalled: .setRateCalled
            case .setRateFailed: .setRateFailed
            case .audioSessionInterrupted: .audioSessionInterrupted
            case .appBackgrounded: .appBackgrounded
            default: .none
            }
        // After an end or a stall, the rate changes without a reason; the notification of the end or stall has already stored one. After several
        // failures in a row, `queueFailed` tells more than `setRateFailed`.
        let isStop = known == .setRateFailed && loader.isStoppedByFailures
        if known != .none { publisher.note(isStop ? .queueFailed : known) } else { publisher.scheduleUpdate() }
        followRate()
        publisher.send(.rateDidChange(rate: player.requestedRate, reason: known, origin: publisher.origin))
    }

    private func statusDidChange(_ player: AVPlayer) {
        if player.timeControlStatus == .playing { startWaitingFade() }
        switch player.reasonForWaitingToPlay {
        case .toMinimizeStalls: publisher.note(.toMinimizeStalls, isConsequence: true)
        case .evaluatingBufferingRate: publisher.note(.evaluatingBufferingRate, isConsequence: true)
        case .noItemToPlay: publisher.note(.noItemToPlay, isConsequence: true)
        default: player.timeControlStatus == .playing ? publisher.note(.playing, isConsequence: true) : publisher.scheduleUpdate()
        }
    }
}

/// Observes a notification that AVFoundation posts on the main actor, where `body` runs. The observation ends when the observer is released.
@MainActor final class NotificationObserver {
    private let token: NotificationToken

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @MainActor ([AnyHashable: Any]) -> Void) {
        token = NotificationToken(name, object) { notification in
            let info = PostedInfo(values: notification.userInfo ?? [:])
            MainActor.assumeIsolated { body(info.values) }
        }
    }
}

/// `@unchecked Sendable`: the values are created and read on the main actor, but pass through a closure without isolation.
private struct PostedInfo: @unchecked Sendable {
    let values: [AnyHashable: Any]
}

/// Observes a notification; `body` runs on the thread that posts it. The observation ends when the token is released.
///
/// `@unchecked Sendable`: the token is only passed to the notification centre, which is thread-safe.
final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @Sendable (Notification) -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body)
    }
    deinit { NotificationCenter.default.removeObserver(token) }
}
