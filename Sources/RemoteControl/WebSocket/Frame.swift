import CWslay

/// Encodes the WebSocket frames that a server sends (RFC 6455, section 5.2). Each WebSocket frame of the server is a whole message and unmasked, so
/// that the same bytes can be sent to every client.
public enum Frame {
    /// The type of a WebSocket frame.
    public enum Opcode: UInt8, Sendable {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        /// Whether a WebSocket frame of this type controls the connection. A control frame may occur between the frames of a message.
        public var isControl: Bool { rawValue & 0x8 != 0 }
    }

    /// The maximum length of the payload of a WebSocket control frame, in bytes (section 5.5).
    public static let maximumControlPayload = 125

    /// Returns a WebSocket frame that contains a whole message. The payload of a frame of type `close`, `ping` or `pong` may have at most 125 bytes.
    public static func encoded(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        precondition(!opcode.isControl || payload.count <= maximumControlPayload, "a control frame has at most 125 bytes of payload (RFC 6455, 5.5)")
        return FrameWriter().bytes(opcode, payload)
    }

    /// Returns the WebSocket frame of a text message. The payload of a text message must be UTF-8.
    public static func text(_ payload: [UInt8]) -> [UInt8] { encoded(.text, payload) }

    /// Returns a close frame of a WebSocket. The text `reason` is shortened so that the close frame's payload has at most 125 bytes.
    public static func close(_ code: CloseCode, _ reason: String = "") -> [UInt8] {
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let bytes = UTF8.encode(scalar).map(Array.init) ?? []
            guard payload.count + bytes.count <= maximumControlPayload else { break }
            payload += bytes
        }
        return encoded(.close, payload)
    }
}

/// Collects the bytes that the C library wslay writes for a WebSocket frame.
final class FrameWriter {
    fileprivate(set) var written: [UInt8] = []

    fileprivate func bytes(_ opcode: Frame.Opcode, _ payload: [UInt8]) -> [UInt8] {
        written.reserveCapacity(payload.count + 10)
        let callbacks = wslay_frame_callbacks(send_callback: takeFrameBytes, recv_callback: nil, genmask_callback: nil)
        let context = FrameContext(callbacks, owner: Unmanaged.passUnretained(self).toOpaque())
        payload.withUnsafeBufferPointer { payload in
            var sent = 0
            repeat {
                var frame = wslay_frame_iocb()
                frame.fin = 1
                frame.opcode = opcode.rawValue
                frame.payload_length = UInt64(payload.count)
                frame.data = payload.baseAddress.map { $0 + sent }
                frame.data_length = payload.count - sent
                let count = wslay_frame_send(context.pointer, &frame)
                precondition(count >= 0, "wslay refused a well-formed frame")
                sent += count
            } while sent < payload.count
        }
        return written
    }

    func take(_ bytes: UnsafeBufferPointer<UInt8>) { written.append(contentsOf: bytes) }
}

/// Owns a frame context of the C library wslay, and frees the frame context when the `FrameContext` is released.
final class FrameContext {
    let pointer: wslay_frame_context_ptr

    /// Creates a frame context of wslay.
    /// - Parameter owner: The pointer that wslay passes to each of its callbacks.
    init(_ callbacks: wslay_frame_callbacks, owner: UnsafeMutableRawPointer) {
        var callbacks = callbacks
        var created: wslay_frame_context_ptr?
        let code = wslay_frame_context_init(&created, &callbacks, owner)
        guard code == 0, let created else { preconditionFailure("no memory could be allocated for a frame") }
        pointer = created
    }

    deinit { wslay_frame_context_free(pointer) }
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

    /// Whether a close frame may contain the code. It may contain the codes for libraries and programs (3000 to 4999) and the registered codes.
    /// Excluded are 1004, which has no meaning, and 1005, 1006 and 1015, which a program uses only to report that no close frame was received.
    public var isAllowedInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
