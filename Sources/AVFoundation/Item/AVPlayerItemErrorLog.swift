public import Foundation
import PlaybackEngine

/// An item's errors (R-LOG-01). A returned log does not change.
public final class AVPlayerItemErrorLog: Sendable {
    /// The events, the oldest first; at most the newest 100.
    public let events: [AVPlayerItemErrorLogEvent]
    init(events: [AVPlayerItemErrorLogEvent]) { self.events = events }

    /// The log in the W3C extended log file format.
    public func extendedLogData() -> Data? { ExtendedLog.data(AVPlayerItemErrorLogEvent.fields, events.map(\.values)) }
    /// Foundation's number of the encoding UTF-8.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// An error of an item, fatal or not.
public struct AVPlayerItemErrorLogEvent: Sendable {
    public var date: Date?
    /// The URI without user name and password.
    public var uri: String?
    public var serverAddress: String?
    /// The identifier that all events of an item share.
    public var playbackSessionID: String?
    /// The status code of the C library or the HTTP server; if there is none, the code of the item's error.
    public var errorStatusCode: Int
    /// The domain: `HTTP`, `FFmpeg`, or that of the item's error.
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
