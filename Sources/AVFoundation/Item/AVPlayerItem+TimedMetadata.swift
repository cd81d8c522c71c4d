import CoreMedia
import Platform
import PlaybackEngine

/// Metadata in the course of an item, such as the titles of a radio station.
extension AVPlayerItem {
    /// The metadata of the audio that is heard now, published when their first audio is heard (R-META-01); empty if the former metadata have ended.
    /// Observable.
    public nonisolated var timedMetadata: [AVMetadataItem]? { read(.timedMetadata) { heardMetadata.map(items) } }

    @Turn func observeTimedMetadata(of source: inout MediaSource) {
        let log = attached.timedMetadata
        source.timedMetadata = log
        guard let scheduler = owner?.environment.scheduler else { return }
        let changed: @MainActor @Sendable () -> Void = { [weak self] in
            guard let self, let owner = Turn.perform({ self.owner }) else { return }
            Turn.perform { if owner.playingItem === self { owner.rearm() } }
        }
        log.observe { scheduler.async(changed) }
    }

    /// Publishes the metadata that apply at the heard position.
    @Turn func followTimedMetadata(to time: CMTime) {
        guard time.isNumeric, let new = attached.timedMetadata.metadata(at: time.seconds), new.entries != heardMetadata?.entries else { return }
        setHeardMetadata(new)
        let range = CMTimeRange(start: CMTime(seconds: new.time, preferredTimescale: 1_000_000), duration: .indefinite)
        attached.push(AVTimedMetadataGroup(items: items(new), timeRange: range))
    }

    @Turn private func items(_ metadata: TimedMetadata) -> [AVMetadataItem] { mediaInfo?.items(of: metadata.entries) ?? [] }
}

extension TimedMetadataLog {
    /// The rounding error of a heard position, in seconds.
    private static let tolerance = 1e-6

    /// The metadata that apply at a position, in seconds; nil before the first metadata.
    func metadata(at time: Double) -> TimedMetadata? { placed.last { $0.time <= time + Self.tolerance } }

    /// The position in seconds of the next metadata after `time`.
    func next(after time: Double) -> Double? { placed.first { $0.time > time + Self.tolerance }?.time }
}
