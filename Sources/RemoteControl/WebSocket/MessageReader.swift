import CWslay

/// Reads the WebSocket frames of a client, and returns the client's messages and what the server must answer at once (RFC 6455, the side of the
/// server). It has no socket and no clock. Every byte that it receives may come from an attacker. The C library wslay applies the protocol's rules.
///
/// A `MessageReader` must not be used by several threads at once.
public final class MessageReader {
    /// A WebSocket message of the client, or the server's answer to a control frame or to a failure of the client.
    public enum Event: Sendable, Equatable {
        /// The client sent a text message. The bytes of a text message are valid UTF-8.
        case text([UInt8])
        case binary([UInt8])
        /// The server must send this frame: the pong after a ping, or a close frame after a close frame or a failure of the client. `isLast`: it is a
        /// close frame, and all later bytes of the client are ignored.
        case reply([UInt8], isLast: Bool)
    }

    /// wslay's memory for the connection; nil only during the initializer.
    private var context: wslay_event_context_ptr?
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The bytes of the reply that wslay is writing.
    private var reply: [UInt8] = []
    private var events: [Event] = []
    /// The number of stored bytes of the incomplete WebSocket message and the incomplete control frame.
    public private(set) var keptCount = 0
    /// Whether a close frame or a failure of the client has occurred, so that all later bytes are ignored.
    public var isOver: Bool { wslay_event_get_read_enabled(context) == 0 }

    /// - Parameter maximumSize: The maximum size of a WebSocket message, in bytes, regardless of the number of its fragments.
    public init(maximumSize: Int) {
        var callbacks = wslay_event_callbacks(
            recv_callback: giveFrameBytes, send_callback: takeReplyBytes, genmask_callback: nil, on_frame_recv_start_callback: nil,
            on_frame_recv_chunk_callback: countFrameBytes, on_frame_recv_end_callback: nil, on_msg_recv_callback: takeMessage)
        let code = wslay_event_context_server_init(&context, &callbacks, Unmanaged.passUnretained(self).toOpaque())
        precondition(code == 0, "no memory could be allocated for a WebSocket")
        wslay_event_config_set_max_recv_msg_length(context, UInt64(maximumSize))
    }

    deinit { wslay_event_context_free(context) }

    /// Parses the next bytes that the client sent, which may end anywhere in a frame, and returns the events in them.
    public func read(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        guard !isOver else { return [] }
        input = bytes
        let isMalformed = wslay_event_recv(context) != 0
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        if isMalformed {
            // The head of a frame is malformed. wslay's close frame has no code in this case.
            events.append(.reply(SocketFrame.close(.protocolError, "malformed frame"), isLast: true))
        } else {
            finishReply()
        }
        defer { events = [] }
        return events
    }

    /// Lets wslay write the reply that it has prepared, if there is one.
    private func finishReply() {
        guard wslay_event_want_write(context) != 0 else { return }
        wslay_event_send(context)
        events.append(.reply(reply, isLast: isOver))
        reply = []
    }

    // MARK: wslay's calls

    /// Copies received bytes into wslay's `buffer`, and returns their number; -1 if none are available.
    fileprivate func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, input.count)
        guard count > 0 else {
            wslay_event_set_error(context, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
            return -1
        }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    fileprivate func write(_ bytes: UnsafeBufferPointer<UInt8>) { reply.append(contentsOf: bytes) }

    fileprivate func count(_ size: Int) { keptCount += size }

    fileprivate func take(_ message: wslay_event_on_msg_recv_arg) {
        let bytes = Array(UnsafeBufferPointer(start: message.msg, count: message.msg_length))
        switch SocketFrame.Opcode(rawValue: message.opcode) {
        case .text:
            keptCount = 0
            events.append(.text(bytes))
        case .binary:
            keptCount = 0
            events.append(.binary(bytes))
        default:
            // A control frame may occur between the fragments of a message.
            keptCount -= bytes.count
            finishReply()
        }
    }
}

// The functions that the C library wslay calls. Each of them receives a pointer to a `MessageReader` (`owner`), and calls a method of it.

private func reader(_ owner: UnsafeMutableRawPointer?) -> MessageReader? {
    owner.map { Unmanaged<MessageReader>.fromOpaque($0).takeUnretainedValue() }
}

private func giveFrameBytes(
    _ context: wslay_event_context_ptr?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int, _ flags: Int32, _ owner: UnsafeMutableRawPointer?
) -> Int {
    reader(owner)?.give(UnsafeMutableRawBufferPointer(start: buffer, count: count)) ?? -1
}

private func takeReplyBytes(
    _ context: wslay_event_context_ptr?, _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ flags: Int32, _ owner: UnsafeMutableRawPointer?
) -> Int {
    reader(owner)?.write(UnsafeBufferPointer(start: bytes, count: count))
    return count
}

private func countFrameBytes(
    _ context: wslay_event_context_ptr?, _ part: UnsafePointer<wslay_event_on_frame_recv_chunk_arg>?, _ owner: UnsafeMutableRawPointer?
) {
    if let part { reader(owner)?.count(part.pointee.data_length) }
}

private func takeMessage(
    _ context: wslay_event_context_ptr?, _ message: UnsafePointer<wslay_event_on_msg_recv_arg>?, _ owner: UnsafeMutableRawPointer?
) {
    if let message { reader(owner)?.take(message.pointee) }
}
