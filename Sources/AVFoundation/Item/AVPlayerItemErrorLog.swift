public import Foundation
import PlaybackEngine

/// A log of an item's errors (R-LOG-01). A returned log does not change any more.
public final class AVPlayerItemErrorLog: Sendable {
    /// The errors of the item, the oldest first; at most the newest 100.
    public let events: [AVPlayerItemErrorLogEvent]
    init(events: [AVPlayerItemErrorLogEvent]) { self.events = events }

    /// Returns the errors of the log in the W3C extended log file format.
    public func extendedLogData() -> Data? { ExtendedLog.data(AVPlayerItemErrorLogEvent.fields, events.map(\.values)) }
    /// The text encoding of `extendedLogData`, as Foundation's number: UTF-8.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// An error of an item, fatal or not.
public struct AVPlayerItemErrorLogEvent: Sendable {
    public var date: Date?
    /// The URL of the medium, without user name and password.
    public var uri: String?
    public var serverAddress: String?
    /// The identifier of the playback session, which all events of an item share.
    public var playbackSessionID: String?
    /// The error code that the C library or the HTTP server reported; if neither reported a code, the code of the item's error.
    public var errorStatusCode: Int
    /// The domain of the error code: `HTTP`, `FFmpeg`, or the domain of the item's error.
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
