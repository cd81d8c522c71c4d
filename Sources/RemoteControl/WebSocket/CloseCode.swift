/// The reason for which a WebSocket connection is closed, as the number in the close frame (RFC 6455, section 7.4).
public struct CloseCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the WebSocket connection is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// The WebSocket is closed because the server stops, or the user leaves the page.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The bytes that the client sent are not a WebSocket frame, or are a frame that the protocol does not permit at this point.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// The client sent a kind of WebSocket message that the server does not accept.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// A text message or a close reason of a WebSocket is not UTF-8.
    public static let invalidData = CloseCode(rawValue: 1007)
    /// A WebSocket message is larger than the limit.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The server has no memory for a WebSocket message now (IANA, WebSocket Close Code Number Registry).
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether a close frame may contain the code. It may contain the codes for libraries and programs (3000 to 4999) and the registered codes.
    /// Excluded are 1004, which has no meaning, and 1005, 1006 and 1015, which a program uses only to report that no close frame was received.
    public var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
