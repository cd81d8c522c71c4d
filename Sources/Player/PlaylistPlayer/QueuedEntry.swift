import AVFoundation
import CoreMedia
import Foundation

/// An entry whose item is in the queue player. A `QueuedEntry` observes its item.
@MainActor final class QueuedEntry {
    enum Event {
        case statusChanged
        case durationChanged
        case positionEstimateChanged
        case playedToEnd
        case failedToPlayToEnd
        case stalled
        case timeJumped
        case connectionChanged
        case seekProgressed
        case timedMetadataChanged
    }

    let id: String
    let item: AVPlayerItem
    /// The start position that a client or the saved state has requested; nil if there is none.
    private(set) var requestedStart: CMTime?

    /// The remembered position at which the item was opened; nil after it was checked against the duration.
    private(set) var rememberedStart: MediaPosition?

    private var observations: [NSKeyValueObservation] = []
    private var notifications: [NotificationObserver] = []

    init(
        _ entry: PlaylistEntry, item: AVPlayerItem, requestedStart: CMTime? = nil, rememberedStart: MediaPosition? = nil,
        observer: @escaping @MainActor (QueuedEntry, Event) -> Void
    ) {
        id = entry.id
        self.item = item
        self.requestedStart = requestedStart
        self.rememberedStart = rememberedStart
        let report: @MainActor (Event) -> Void = { [weak self] in if let self { observer(self, $0) } }
        observations = [
            item.observeOnMain(\.status) { _, _ in report(.statusChanged) },
            item.observeOnMain(\.duration) { _, _ in report(.durationChanged) },
            item.observeOnMain(\.isPositionEstimated) { _, _ in report(.positionEstimateChanged) },
            item.observeOnMain(\.connectionWait) { _, _ in report(.connectionChanged) },
            item.observeOnMain(\.seekProgress) { _, _ in report(.seekProgressed) },
            item.observeOnMain(\.timedMetadata) { _, _ in report(.timedMetadataChanged) },
        ]
        notifications = [
            NotificationObserver(AVPlayerItem.didPlayToEndTimeNotification, item) { _ in report(.playedToEnd) },
            NotificationObserver(AVPlayerItem.failedToPlayToEndTimeNotification, item) { _ in report(.failedToPlayToEnd) },
            NotificationObserver(AVPlayerItem.playbackStalledNotification, item) { _ in report(.stalled) },
            NotificationObserver(AVPlayerItem.timeJumpedNotification, item) { _ in report(.timeJumped) },
        ]
    }

    /// Called for a seek before the item was opened.
    func noteRequestedStart(_ start: CMTime) { requestedStart = start }

    func checkedRememberedStart() { rememberedStart = nil }

    func stopObserving() {
        observations = []
        notifications = []
    }
}
