public import Foundation
import PlaybackEngine

/// What went wrong with an item (R-LOG-01). A snapshot.
public final class AVPlayerItemErrorLog: Sendable {
    /// The errors, the oldest first; at most the newest hundred.
    public let events: [AVPlayerItemErrorLogEvent]
    init(events: [AVPlayerItemErrorLogEvent]) { self.events = events }

    /// The events in the W3C extended log file format.
    public func extendedLogData() -> Data? { ExtendedLog.data(AVPlayerItemErrorLogEvent.fields, events.map(\.values)) }
    /// How `extendedLogData` is encoded.
    public var extendedLogDataStringEncoding: UInt { String.Encoding.utf8.rawValue }
}

/// One error of an item, whether it ended it or not.
public struct AVPlayerItemErrorLogEvent: Sendable {
    public var date: Date?
    /// Where the medium is, without a name and a password.
    public var uri: String?
    public var serverAddress: String?
    /// The same for all events of an item.
    public var playbackSessionID: String?
    /// The code of the C library or the HTTP server where one told, else that of the item's error.
    public var errorStatusCode: Int
    /// Whose code that is: `HTTP`, `FFmpeg`, or the domain of the item's error.
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
