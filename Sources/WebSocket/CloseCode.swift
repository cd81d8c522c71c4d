/// The reason for which a connection is closed, as the number in the close frame (RFC 6455, section 7.4).
public struct CloseCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose of the connection is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// The server stops, or the user leaves the page.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The received bytes are not a WebSocket frame, or are a frame that the protocol does not permit at this point.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// The client sent a kind of message that the server does not accept.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// A text message or a close reason is not UTF-8.
    public static let invalidData = CloseCode(rawValue: 1007)
    /// A message is larger than the limit.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The server has no memory for the message now (IANA, WebSocket Close Code Number Registry).
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether a close frame may contain the code. These are the registered codes, except those that mean a missing close frame, and the codes that
    /// are reserved for libraries and programs.
    public var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
