/// Encodes the WebSocket frames that a server sends (RFC 6455, section 5.2). Each WebSocket frame of the server is a whole message and unmasked, so
/// that the same bytes can be sent to every client.
public enum SocketFrame {
    /// The type of a WebSocket frame.
    public enum Opcode: UInt8, Sendable {
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA
    }

    /// Returns a WebSocket frame that contains a whole message. The payload of a frame of type `close`, `ping` or `pong` may have at most 125 bytes.
    public static func encoded(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 10)
        frame.append(0x80 | opcode.rawValue)
        switch payload.count {
        case ..<126: frame.append(UInt8(payload.count))
        case ..<65536: frame += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { frame.append(contentsOf: $0) }
        }
        frame += payload
        return frame
    }

    /// Returns the WebSocket frame of a text message. The payload of a text message must be UTF-8.
    public static func text(_ payload: [UInt8]) -> [UInt8] { encoded(.text, payload) }

    /// Returns a close frame of a WebSocket. The text `reason` may have at most 123 bytes.
    public static func close(_ code: CloseCode, _ reason: String = "") -> [UInt8] {
        encoded(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(reason.utf8))
    }
}

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
}
