import AVFoundation
public import PlaybackEngine

extension PlaylistPlayer {
    public var buffer: BufferState? {
        guard let current = loader.current else { return nil }
        let item = current.item
        return BufferState(
            itemID: current.id, loaded: item.loadedTimeRanges.map(ItemDetails.TimeRange.init),
            seekable: item.seekableTimeRanges.map(ItemDetails.TimeRange.init), isEmpty: item.isPlaybackBufferEmpty,
            isFull: item.isPlaybackBufferFull, isLikelyToKeepUp: item.isPlaybackLikelyToKeepUp)
    }

    public func observeBuffer(_ body: @escaping @MainActor () -> Void) -> ObservationToken {
        let observation = BufferObservation(player, body)
        return ObservationToken { observation.cancel() }
    }
}

/// The observation of the current item's buffer, also after another item became current (R-BUF-07).
@MainActor final class BufferObservation {
    private let body: @MainActor () -> Void
    private var current: NSKeyValueObservation?
    private var item: [NSKeyValueObservation] = []

    init(_ player: AVPlayer, _ body: @escaping @MainActor () -> Void) {
        self.body = body
        current = player.observeOnMain(\.currentItem) { [weak self] player, _ in self?.follow(player.currentItem) }
        watch(player.currentItem)
    }

    private func follow(_ new: AVPlayerItem?) {
        watch(new)
        body()
    }

    private func watch(_ new: AVPlayerItem?) {
        guard let new else { return item = [] }
        let body = body
        item = [
            new.observeOnMain(\.loadedTimeRanges) { _, _ in body() },
            new.observeOnMain(\.seekableTimeRanges) { _, _ in body() },
            new.observeOnMain(\.isPlaybackBufferEmpty) { _, _ in body() },
            new.observeOnMain(\.isPlaybackBufferFull) { _, _ in body() },
            new.observeOnMain(\.isPlaybackLikelyToKeepUp) { _, _ in body() },
        ]
    }

    func cancel() {
        current = nil
        item = []
    }
}
