/// Reads the WebSocket frames of a client, and returns the client's messages (RFC 6455, the side of the server). It has no socket and no clock. Every
/// byte that it receives may come from an attacker.
///
/// A `MessageReader` must not be used by several threads at once.
public final class MessageReader {
    /// A WebSocket message or control frame that the client sent, or a failure of the client.
    public enum Event: Sendable, Equatable {
        /// The client sent a text message. The bytes of a text message are valid UTF-8.
        case text([UInt8])
        case binary([UInt8])
        /// The client sent a ping. The server must answer a ping with a pong that has the same payload.
        case ping([UInt8])
        case pong([UInt8])
        /// The client closes the WebSocket, and all later bytes are ignored. The close code is nil if the client's close frame has none.
        case close(CloseCode?, reason: String)
        /// The client broke a rule of the WebSocket protocol. The server must then close the connection with this code; all later bytes are ignored.
        case failure(CloseCode, reason: String)
    }

    /// The limits on the WebSocket messages of a client.
    public struct Limits: Sendable {
        /// The maximum size of a WebSocket message, in bytes, regardless of the number of its fragments.
        public var message: Int
        /// Whether binary WebSocket messages are accepted. If binary messages are not accepted, the first byte of a binary message is a failure.
        public var takesBinary: Bool

        public init(message: Int, takesBinary: Bool) {
            self.message = message
            self.takesBinary = takesBinary
        }
    }

    private let limits: Limits
    private let frames = FrameReader()
    /// The type of the incomplete WebSocket message: text or binary; nil if no message is incomplete.
    private var kind: Frame.Opcode?
    private var message: [UInt8] = []
    private var text = UTF8Progress()
    /// The received part of the payload of an incomplete control frame.
    private var control: [UInt8] = []
    /// Whether a close frame or a failure of the client has occurred, so that all later bytes are ignored.
    public private(set) var isOver = false

    public init(limits: Limits) { self.limits = limits }

    /// Parses the next bytes that the client sent, which may end anywhere in a frame, and returns the events in them.
    public func read(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        var events: [Event] = []
        guard !isOver else { return events }
        frames.read(bytes) { outcome in
            switch outcome {
            case .needsMore: break
            case .malformed: end(with: .failure(.protocolError, reason: "malformed frame"), &events)
            case .part(let part): take(part, &events)
            }
            return !isOver
        }
        return events
    }

    /// The number of stored bytes of the incomplete WebSocket message and the incomplete control frame.
    public var keptCount: Int { message.count + control.count }

    private func end(with event: Event, _ events: inout [Event]) {
        isOver = true
        message = []
        control = []
        events.append(event)
    }

    private func take(_ part: FrameReader.Part, _ events: inout [Event]) {
        guard let opcode = Frame.Opcode(rawValue: part.opcode) else {
            return end(with: .failure(.protocolError, reason: "unknown opcode"), &events)
        }
        if part.isFirst, let failure = fault(of: part, opcode) { return end(with: failure, &events) }
        if opcode.isControl {
            control.append(contentsOf: part.bytes)
            guard part.isLast else { return }
            let payload = control
            control = []
            finishControl(opcode, payload, &events)
        } else {
            takeData(part, opcode, &events)
        }
    }

    /// Returns the failure that the beginning of a WebSocket frame shows; nil if there is none.
    private func fault(of part: FrameReader.Part, _ opcode: Frame.Opcode) -> Event? {
        func broken(_ reason: String) -> Event { .failure(.protocolError, reason: reason) }
        guard part.reservedBits == 0 else { return broken("reserved bit without an extension") }
        guard part.isMasked else { return broken("frame without a mask") }
        switch opcode {
        case .continuation where kind == nil: return broken("continuation without a message")
        case .text where kind != nil, .binary where kind != nil: return broken("new message before the end of another")
        case .binary where !limits.takesBinary: return .failure(.unsupportedData, reason: "messages must be text")
        case .continuation, .text, .binary:
            // The announced length is only the client's claim, but if it exceeds the limit, the frame is refused at once.
            guard part.length <= UInt64(limits.message - message.count) else {
                return .failure(.messageTooBig, reason: "a message has at most \(limits.message) bytes")
            }
            return nil
        case .close, .ping, .pong: return nil
        }
    }

    private func takeData(_ part: FrameReader.Part, _ opcode: Frame.Opcode, _ events: inout [Event]) {
        if part.isFirst, opcode != .continuation { kind = opcode }
        let isText = kind == .text
        guard !isText || text.take(part.bytes) else { return end(with: .failure(.invalidData, reason: "text is not valid UTF-8"), &events) }
        message.append(contentsOf: part.bytes)
        guard part.isLast, part.isFinal else { return }
        guard !isText || text.isComplete else { return end(with: .failure(.invalidData, reason: "text is not valid UTF-8"), &events) }
        let complete = message
        message = []
        kind = nil
        events.append(isText ? .text(complete) : .binary(complete))
    }

    private func finishControl(_ opcode: Frame.Opcode, _ payload: [UInt8], _ events: inout [Event]) {
        switch opcode {
        case .ping: events.append(.ping(payload))
        case .pong: events.append(.pong(payload))
        default: end(with: Self.close(payload), &events)
        }
    }

    /// Parses the payload of a close frame, which is empty, or contains a code and optionally a reason (section 5.5.1).
    private static func close(_ payload: [UInt8]) -> Event {
        guard !payload.isEmpty else { return .close(nil, reason: "") }
        guard payload.count >= 2 else { return .failure(.protocolError, reason: "incomplete close code") }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedInFrame else { return .failure(.protocolError, reason: "invalid close code") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { return .failure(.invalidData, reason: "text is not valid UTF-8") }
        return .close(code, reason: reason)
    }
}

/// Validates UTF-8 text that is received in parts (RFC 3629, section 4). It fails at the first byte after which no text can be valid.
struct UTF8Progress {
    /// The number of bytes that the current Unicode scalar still needs (`missing`), and the permitted values of the next byte (`range`).
    private var missing = 0
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes validated so far end with a complete Unicode scalar.
    var isComplete: Bool { missing == 0 }

    /// Validates the next bytes of a text in UTF-8. Returns false if the received text cannot be UTF-8, regardless of later bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes {
            guard missing == 0 else {
                guard range.contains(byte) else { return false }
                missing -= 1
                range = 0x80...0xBF
                continue
            }
            switch byte {
            case 0x00...0x7F: break
            case 0xC2...0xDF: missing = 1
            case 0xE0: (missing, range) = (2, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE...0xEF: missing = 2
            // The range of the second byte excludes the encodings of surrogates.
            case 0xED: (missing, range) = (2, 0x80...0x9F)
            case 0xF0: (missing, range) = (3, 0x90...0xBF)
            case 0xF1...0xF3: missing = 3
            // The range of the second byte excludes values above U+10FFFF.
            case 0xF4: (missing, range) = (3, 0x80...0x8F)
            default: return false
            }
        }
        return true
    }
}
