public import Foundation
import PlaybackEngine

/// How an item was played, one event for each uninterrupted period of playing (R-LOG-01). A snapshot.
public final class AVPlayerItemAccessLog: Sendable {
    /// The periods, the oldest first; at most the newest hundred.
    public let events: [AVPlayerItemAccessLogEvent]
    init(events: [AVPlayerItemAccessLogEvent]) { self.events = events }

    /// The events in the W3C extended log file format.
    public func extendedLogData() -> Data? { ExtendedLog.data(AVPlayerItemAccessLogEvent.fields, events.map(\.values)) }
    /// How `extendedLogData` is encoded.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// One uninterrupted period of playing. A negative number is not known (R-LOG-01): so are, for a local file, all that a network is about, and always
/// what would need several qualities of one medium, pictures or a mobile network.
public struct AVPlayerItemAccessLogEvent: Sendable {
    /// Requests that were sent, one for each range of bytes (R-LOG-02).
    public var numberOfMediaRequests = -1
    public var playbackStartDate: Date?
    /// Where the medium is, without a name and a password.
    public var uri: String?
    public var serverAddress: String?
    public var numberOfServerAddressChanges = -1
    /// The same for all events of an item.
    public var playbackSessionID: String?
    /// Media seconds at which the period began.
    public var playbackStartOffset: TimeInterval = -1
    public var segmentsDownloadedDuration: TimeInterval = -1
    /// Media seconds that were played.
    public var durationWatched: TimeInterval = -1
    public var numberOfStalls = -1
    public var numberOfBytesTransferred: Int64 = -1
    /// Seconds of waiting for those bytes.
    public var transferDuration: TimeInterval = -1
    /// Bits a second over all of `transferDuration`.
    public var observedBitrate: Double = -1
    /// Bits a second that the medium says it has.
    public var indicatedBitrate: Double = -1
    public var indicatedAverageBitrate: Double = -1
    public var averageVideoBitrate: Double = -1
    public var averageAudioBitrate: Double = -1
    public var numberOfDroppedVideoFrames = -1
    /// Seconds from the load to ready.
    public var startupTime: TimeInterval = -1
    public var downloadOverdue = -1
    public var observedMaxBitrate: Double = -1
    public var observedMinBitrate: Double = -1
    public var observedBitrateStandardDeviation: Double = -1
    /// `LIVE` or `FILE`; `VOD` would be a playlist of segments (R-LOG-02).
    public var playbackType: String?
    public var mediaRequestsWWAN = -1
    public var switchBitrate: Double = -1

    static let fields = [
        "sc-count", "date", "uri", "s-ip", "s-ip-changes", "cs-guid", "c-start-time", "c-duration-downloaded", "c-duration-watched", "c-stalls",
        "bytes",
        "c-transfer-duration", "c-observed-bitrate", "sc-indicated-bitrate", "sc-indicated-avg-bitrate", "c-avg-video-bitrate", "c-avg-audio-bitrate",
        "c-frames-dropped", "c-startup-time", "c-overdue", "c-observed-max-bitrate", "c-observed-min-bitrate", "c-observed-bitrate-sd",
        "s-playback-type", "sc-wwan-count", "sc-switch-bitrate",
    ]
    var values: [ExtendedLog.Value] {
        [
            .whole(Int64(numberOfMediaRequests)), .date(playbackStartDate), .text(uri), .text(serverAddress),
            .whole(Int64(numberOfServerAddressChanges)), .text(playbackSessionID), .real(playbackStartOffset), .real(segmentsDownloadedDuration),
            .real(durationWatched), .whole(Int64(numberOfStalls)), .whole(numberOfBytesTransferred), .real(transferDuration), .real(observedBitrate),
            .real(indicatedBitrate), .real(indicatedAverageBitrate), .real(averageVideoBitrate), .real(averageAudioBitrate),
            .whole(Int64(numberOfDroppedVideoFrames)), .real(startupTime), .whole(Int64(downloadOverdue)), .real(observedMaxBitrate),
            .real(observedMinBitrate), .real(observedBitrateStandardDeviation), .text(playbackType), .whole(Int64(mediaRequestsWWAN)),
            .real(switchBitrate),
        ]
    }
}

extension AVPlayerItemAccessLogEvent {
    /// What is known of a period; `reading` is what the medium has cost by its end, nil for a local file.
    init(_ period: ItemLog.Period, reading: TransferMeter.Reading?) {
        playbackStartDate = Date(timeIntervalSince1970: period.startDate)
        playbackStartOffset = period.startOffset
        durationWatched = period.watched
        numberOfStalls = period.stallCount
        guard let reading else { return }
        numberOfMediaRequests = reading.requestCount - period.before.requestCount
        numberOfBytesTransferred = reading.byteCount - period.before.byteCount
        transferDuration = reading.seconds - period.before.seconds
        if transferDuration > 0 { observedBitrate = Double(numberOfBytesTransferred) * 8 / transferDuration }
        serverAddress = reading.serverAddress
        numberOfServerAddressChanges = reading.addressChangeCount - period.before.addressChangeCount
        observedMinBitrate = reading.slowest ?? -1
        observedMaxBitrate = reading.fastest ?? -1
    }
}
