import AVFoundation
public import PlaybackEngine

extension PlaylistPlayer {
    public var buffer: BufferState? {
        guard let current = feeder.current else { return nil }
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
