public import Foundation
import PlaybackEngine

/// A log with one event per uninterrupted period of playing (R-LOG-01). A returned log does not change.
public final class AVPlayerItemAccessLog: Sendable {
    /// The events, the oldest first; at most the newest 100.
    public let events: [AVPlayerItemAccessLogEvent]
    init(events: [AVPlayerItemAccessLogEvent]) { self.events = events }

    /// The log in the W3C extended log file format.
    public func extendedLogData() -> Data? { ExtendedLog.data(AVPlayerItemAccessLogEvent.fields, events.map(\.values)) }
    /// Foundation's number of the encoding UTF-8.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// One uninterrupted period of playing. Negative figures are unknown (R-LOG-01): always the figures about variants, video and mobile networks, and
/// for a local file those about the network.
public struct AVPlayerItemAccessLogEvent: Sendable {
    /// The number of requests, one for each byte range (R-LOG-02).
    public var numberOfMediaRequests = -1
    public var playbackStartDate: Date?
    /// The URI without user name and password.
    public var uri: String?
    public var serverAddress: String?
    public var numberOfServerAddressChanges = -1
    /// The identifier that all events of an item share.
    public var playbackSessionID: String?
    /// The media time at the start of the period, in seconds.
    public var playbackStartOffset: TimeInterval = -1
    public var segmentsDownloadedDuration: TimeInterval = -1
    /// The played media time, in seconds.
    public var durationWatched: TimeInterval = -1
    public var numberOfStalls = -1
    public var numberOfBytesTransferred: Int64 = -1
    /// The time spent waiting for bytes, in seconds.
    public var transferDuration: TimeInterval = -1
    /// The bit rate during `transferDuration`, in bits per second.
    public var observedBitrate: Double = -1
    /// The bit rate that the medium declares, in bits per second.
    public var indicatedBitrate: Double = -1
    public var indicatedAverageBitrate: Double = -1
    public var averageVideoBitrate: Double = -1
    public var averageAudioBitrate: Double = -1
    public var numberOfDroppedVideoFrames = -1
    /// The time from the start of loading until the item was ready, in seconds.
    public var startupTime: TimeInterval = -1
    public var downloadOverdue = -1
    public var observedMaxBitrate: Double = -1
    public var observedMinBitrate: Double = -1
    public var observedBitrateStandardDeviation: Double = -1
    /// `LIVE`, `VOD` (a playlist of segments that is complete) or `FILE` (R-LOG-02).
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
    /// `reading` counts the transfers from the opening of the medium to the end of the period; the event contains only those of the period.
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
