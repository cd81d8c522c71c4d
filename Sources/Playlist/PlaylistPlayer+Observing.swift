import AVFoundation
import Foundation
import PlaybackEngine

/// What the queue player tells.
extension PlaylistPlayer {
    public func observe(_ body: @escaping @MainActor (PlayerNotice) -> Void) -> ObservationToken { publisher.observe(body) }

    func notify(_ event: PlayerEvent) { publisher.send(event) }

    func note(_ reason: PlayerState.Reason, isConsequence: Bool = false) { publisher.note(reason, isConsequence: isConsequence) }

    func observePlayer() {
        tokens = [
            player.observe(\.timeControlStatus) { [weak self] player, _ in self?.statusDidChange(player) },
            player.observe(\.reasonForWaitingToPlay) { [weak self] player, _ in self?.statusDidChange(player) },
            player.observe(\.currentItem) { [weak self] _, _ in self?.currentItemDidChange() },
            player.observe(\.status) { [weak self] _, _ in self?.note(.itemLoaded) },
            player.observe(\.output) { [weak self] _, _ in self?.note(.outputChanged) },
            player.session.observe(\.category) { [weak self] _, _ in self?.note(.sessionChanged) },
            player.session.observe(\.isActive) { [weak self] _, _ in self?.note(.sessionChanged, isConsequence: true) },
            player.session.observe(\.isInterrupted) { [weak self] _, _ in self?.note(.sessionChanged, isConsequence: true) },
        ]
        player.motionMayHaveChanged = { [weak self] in self?.publisher.scheduleUpdate() }
        notifications = [
            NotificationObserver(AVPlayer.rateDidChangeNotification, player) { [weak self] in
                self?.rateDidChange($0[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason)
            },
            NotificationObserver(AVAudioSession.interruptionNotification, player.session) { [weak self] in
                guard let interruption = AudioSessionState.Interruption($0) else { return }
                self?.notify(.interruption(interruption))
            },
        ]
        let scheduler = environment.scheduler
        routeChanges = NotificationToken(AVAudioSession.routeChangeNotification, player.session) { [weak self] notification in
            // Posted on a thread of its own (R-ROUTE-02).
            let reason = notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt
            let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            scheduler.async { [weak self] in self?.routeDidChange(reason, from: previous) }
        }
    }

    private func routeDidChange(_ reason: UInt?, from previous: AVAudioSessionRouteDescription?) {
        let reason = reason.flatMap(AVAudioSession.RouteChangeReason.init) ?? .unknown
        notify(
            .routeDidChange(
                AudioSessionState.RouteChange(
                    reason: reason.remoteName, outputs: player.session.currentRoute.remotePorts, previousOutputs: previous?.remotePorts ?? [])))
    }

    func rateDidChange(_ reason: AVPlayer.RateDidChangeReason?) {
        let known: PlayerState.Reason =
            switch reason {
            case .setRateCalled: .setRateCalled
            case .setRateFailed: .setRateFailed
            case .audioSessionInterrupted: .audioSessionInterrupted
            case .appBackgrounded: .appBackgrounded
            default: .none
            }
        // The end of an item and a stall have told their own cause, or will.
        if known != .none { note(known) } else { publisher.scheduleUpdate() }
        notify(.rateDidChange(rate: player.requestedRate, reason: known.rawValue, origin: publisher.origin))
    }

    func statusDidChange(_ player: AVPlayer) {
        switch player.reasonForWaitingToPlay {
        case .toMinimizeStalls: note(.toMinimizeStalls, isConsequence: true)
        case .evaluatingBufferingRate: note(.evaluatingBufferingRate, isConsequence: true)
        case .noItemToPlay: note(.noItemToPlay, isConsequence: true)
        default: player.timeControlStatus == .playing ? note(.playing, isConsequence: true) : publisher.scheduleUpdate()
        }
    }

    /// Watches an item for as long as it is queued.
    func observe(_ queued: Queued) {
        let item = queued.item
        queued.tokens = [
            item.observe(\.status) { [weak self, weak queued] item, _ in
                guard let self, let queued else { return }
                if item.status == .failed { itemDidFail(queued) } else { learn(of: queued) }
                note(item.status == .failed ? .itemFailed : .itemLoaded, isConsequence: true)
            },
            item.observe(\.duration) { [weak self, weak queued] _, _ in
                if let queued { self?.learn(of: queued) }
                self?.note(.itemLoaded, isConsequence: true)
            },
        ]
        let id = queued.entryID
        notifications += [
            NotificationObserver(AVPlayerItem.didPlayToEndTimeNotification, item) { [weak self] _ in
                self?.note(.didPlayToEndTime)
                self?.notify(.didPlayToEndTime(itemID: id))
                self?.sleepAtEndOfItem()
            },
            NotificationObserver(AVPlayerItem.failedToPlayToEndTimeNotification, item) { [weak self, weak item] _ in
                guard let failure = item?.error.map(PlayerState.Failure.init(describing:)) else { return }
                self?.notify(.failedToPlayToEndTime(itemID: id, failure))
            },
            NotificationObserver(AVPlayerItem.playbackStalledNotification, item) { [weak self] _ in
                self?.counts.stalls += 1
                self?.note(.playbackStalled)
                self?.notify(.playbackStalled(itemID: id))
            },
            NotificationObserver(AVPlayerItem.timeJumpedNotification, item) { [weak self] _ in
                guard let self else { return }
                publisher.invalidateAnchor()
                note(.seek, isConsequence: true)
                notify(.timeJumped(itemID: id, time: player.currentTime().seconds))
            },
        ]
    }

    func itemDidFail(_ failed: Queued) {
        counts.failedItems += 1
        book.fail(failed.entryID, with: failed.item.error.map(PlayerState.Failure.init(describing:)))
        guard failed.item !== player.currentItem, failed !== queued.first else { return }
        drop([failed])
        feed()
    }

    /// More is known of an entry than before.
    private func learn(of queued: Queued) {
        if let item = book.learn(of: queued.entryID, from: queued.item) { notify(.metadataDidChange(item)) }
    }

    /// The queue player went on by itself, or was sent: the playlist follows.
    func currentItemDidChange() {
        publisher.invalidateAnchor()
        guard let current = player.currentItem, let at = queued.firstIndex(where: { $0.item === current }) else {
            if player.currentItem == nil { drop(queued) }
            return publisher.scheduleUpdate()
        }
        drop(Array(queued[..<at]))
        if playlist.currentID != queued[0].entryID || at > 0 {
            book.edit { _ = $0.go(to: queued[0].entryID) }
            note(.itemAdvanced, isConsequence: true)
        }
        feed()
    }

    func drop(_ gone: [Queued]) {
        guard !gone.isEmpty else { return }
        queued.removeAll { entry in gone.contains { $0 === entry } }
        notifications.removeAll { observer in gone.contains { $0.item === observer.object } }
    }
}

/// A notification of one object, told on the main actor, where `AVFoundation` posts all of its own; ends when dropped.
@MainActor final class NotificationObserver {
    private(set) weak var object: AnyObject?
    private let token: NotificationToken

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @MainActor ([AnyHashable: Any]) -> Void) {
        self.object = object
        token = NotificationToken(name, object) { notification in
            let info = PostedInfo(values: notification.userInfo ?? [:])
            MainActor.assumeIsolated { body(info.values) }
        }
    }
}

/// `@unchecked Sendable`: made and read on the main actor; it only passes a closure that is not isolated.
private struct PostedInfo: @unchecked Sendable {
    let values: [AnyHashable: Any]
}

/// A notification of one object, told where it is posted; ends when dropped.
///
/// `@unchecked Sendable`: the token is only given back to the notification centre, which is thread-safe.
final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @Sendable (Notification) -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body)
    }
    deinit { NotificationCenter.default.removeObserver(token) }
}
