import CoreMedia
import Platform
import PlaybackEngine

/// Metadata in the course of an item, such as the titles of a radio station.
extension AVPlayerItem {
    /// The metadata of the audio that is heard now; nil if the item has none. `timedMetadata` is observable. New metadata are published when the
    /// first audio to which they belong is heard (R-META-01). An array without items means that the former metadata have ended.
    public var timedMetadata: [AVMetadataItem]? {
        hub.access(.timedMetadata)
        return heardMetadata.map(items)
    }

    /// Gives the source of a remote medium the item's log of timed metadata, and observes this log.
    func observeTimedMetadata(of source: inout MediaSource) {
        let log = attached.timedMetadata
        source.timedMetadata = log
        guard let scheduler = owner?.environment.scheduler else { return }
        log.observe { [weak self] in
            scheduler.async { [weak self] in
                guard let self, let owner, owner.playingItem === self else { return }
                MainTurn.perform { owner.rearm() }
            }
        }
    }

    /// Publishes the timed metadata that apply at the heard position.
    func followTimedMetadata(to time: CMTime) {
        guard time.isNumeric, let new = attached.timedMetadata.metadata(at: time.seconds), new.entries != heardMetadata?.entries else { return }
        setHeardMetadata(new)
        let range = CMTimeRange(start: CMTime(seconds: new.time, preferredTimescale: 1_000_000), duration: .indefinite)
        attached.push(AVTimedMetadataGroup(items: items(new), timeRange: range))
    }

    private func items(_ metadata: TimedMetadata) -> [AVMetadataItem] { mediaInfo?.items(of: metadata.entries) ?? [] }
}

extension TimedMetadataLog {
    /// The largest rounding error of a heard position, in seconds.
    private static let tolerance = 1e-6

    /// Returns the metadata that apply at a media time, in seconds; nil if no metadata apply.
    func metadata(at time: Double) -> TimedMetadata? { placed.last { $0.time <= time + Self.tolerance } }

    /// Returns the media time of the first metadata after `time`, in seconds; nil if no metadata follow.
    func next(after time: Double) -> Double? { placed.first { $0.time > time + Self.tolerance }?.time }
}
