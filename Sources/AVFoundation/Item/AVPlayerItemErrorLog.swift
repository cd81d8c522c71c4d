public import Foundation
import PlaybackEngine

/// A log of an item's errors (R-LOG-01). The log does not change after it was returned.
public final class AVPlayerItemErrorLog: Sendable {
    /// The errors, oldest first; at most the newest 100.
    public let events: [AVPlayerItemErrorLogEvent]
    init(events: [AVPlayerItemErrorLogEvent]) { self.events = events }

    /// The events in the W3C extended log file format.
    public func extendedLogData() -> Data? { ExtendedLog.data(AVPlayerItemErrorLogEvent.fields, events.map(\.values)) }
    /// The encoding of `extendedLogData`.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// An error of an item, fatal or not.
public struct AVPlayerItemErrorLogEvent: Sendable {
    public var date: Date?
    /// The URL of the medium, without user name and password.
    public var uri: String?
    public var serverAddress: String?
    /// The identifier of the playback session; the same for all events of an item.
    public var playbackSessionID: String?
    /// The code of the C library or the HTTP server if it reported one, otherwise that of the item's error.
    public var errorStatusCode: Int
    /// The domain of the code: `HTTP`, `FFmpeg`, or the domain of the item's error.
    public var errorDomain: String
    public var errorComment: String?

    static let fields = ["date", "uri", "s-ip", "cs-guid", "status", "domain", "comment"]
    var values: [ExtendedLog.Value] {
        [
            .date(date), .text(uri), .text(serverAddress), .text(playbackSessionID), .text(String(errorStatusCode)), .text(errorDomain),
            .text(errorComment),
        ]
    }
}
