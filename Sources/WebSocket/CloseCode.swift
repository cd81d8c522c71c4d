/// Why a connection is closed, as the number that the close frame carries (RFC 6455, section 7.4).
public struct CloseCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// All is said.
    public static let normal = CloseCode(rawValue: 1000)
    /// The server stops, or the page is left.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// What came is no WebSocket frame, or none that may come here.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// A kind of message that is not taken.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// A text that is not UTF-8.
    public static let invalidData = CloseCode(rawValue: 1007)
    /// A message beyond the limit.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The server has no room for it now (IANA, WebSocket Close Code Number Registry).
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether a close frame may carry it: the registered ones but those that only stand for what no frame said, and those of libraries and programs.
    public var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
