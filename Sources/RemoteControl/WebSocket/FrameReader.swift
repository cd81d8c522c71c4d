import CWslay

/// Parses and unmasks the WebSocket frames of a client (RFC 6455, section 5.2). It keeps wslay's memory only while a frame is incomplete.
///
/// A `FrameReader` must not be used by several threads at once.
final class FrameReader {
    /// A received part of a frame's payload, with the facts in the head of the frame.
    struct Part {
        let isFinal: Bool
        let reservedBits: UInt8
        let opcode: UInt8
        let isMasked: Bool
        /// The length of the whole payload of the WebSocket frame, in bytes.
        let length: UInt64
        /// The offset in the WebSocket frame's payload of the first byte of the received part.
        let offset: UInt64
        /// The unmasked bytes of this part. They are valid until the next call of the `FrameReader`.
        let bytes: UnsafeBufferPointer<UInt8>

        var isFirst: Bool { offset == 0 }
        var isLast: Bool { offset + UInt64(bytes.count) == length }
    }

    /// The result of one step of the WebSocket frame's parser.
    enum Outcome {
        case part(Part)
        /// The parser has used all received bytes of the frame, and needs more bytes.
        case needsMore
        /// The WebSocket frame is malformed: its length is not in the shortest form or exceeds 63 bits, or a control frame is fragmented or too long.
        case malformed
    }

    /// wslay's memory for one WebSocket frame, 4 KiB; nil between two frames.
    private var context: FrameContext?
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The number of received bytes that were given to wslay, and the number of those that belong to complete frames.
    private var given: UInt64 = 0
    private var complete: UInt64 = 0
    /// The number of bytes of the current WebSocket frame's payload that were returned so far.
    private var offset: UInt64 = 0

    /// Parses received bytes of WebSocket frames, and calls the function `body` with each result, until `body` returns false or all bytes are parsed.
    func read(_ bytes: UnsafeRawBufferPointer, _ body: (Outcome) -> Bool) {
        input = bytes
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        while true {
            let outcome = next()
            if case .needsMore = outcome {
                if given == complete { context = nil }
                return
            }
            guard body(outcome) else { return }
        }
    }

    private func next() -> Outcome {
        if given == complete, input.isEmpty { return .needsMore }
        var frame = wslay_frame_iocb()
        let count = wslay_frame_recv(current.pointer, &frame)
        guard count >= 0 else {
            return count == Int(WSLAY_ERR_WANT_READ.rawValue) ? .needsMore : .malformed
        }
        let part = Part(
            isFinal: frame.fin != 0, reservedBits: frame.rsv, opcode: frame.opcode, isMasked: frame.mask != 0, length: frame.payload_length,
            offset: offset, bytes: UnsafeBufferPointer(start: frame.data, count: count))
        offset += UInt64(count)
        if part.isLast {
            offset = 0
            let extendedLength: UInt64 = part.length < 126 ? 0 : part.length < 65536 ? 2 : 8
            complete += 2 + extendedLength + (part.isMasked ? 4 : 0) + part.length
        }
        return .part(part)
    }

    private var current: FrameContext {
        if let context { return context }
        let callbacks = wslay_frame_callbacks(send_callback: nil, recv_callback: giveFrameBytes, genmask_callback: nil)
        let made = FrameContext(callbacks, owner: Unmanaged.passUnretained(self).toOpaque())
        context = made
        return made
    }

    /// Copies available received bytes into wslay's `buffer`, and returns their number.
    func give(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(buffer.count, input.count)
        UnsafeMutableRawBufferPointer(buffer).copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        given += UInt64(count)
        return count
    }
}

// The functions that the C library wslay calls. Each of them receives a pointer to a Swift object (`owner`), and calls a method of that object.

/// Receives bytes of a WebSocket frame that wslay has encoded.
func takeFrameBytes(_ bytes: UnsafePointer<UInt8>?, _ count: Int, _ flags: Int32, _ owner: UnsafeMutableRawPointer?) -> Int {
    guard let owner, let bytes else { return -1 }
    Unmanaged<FrameWriter>.fromOpaque(owner).takeUnretainedValue().take(UnsafeBufferPointer(start: bytes, count: count))
    return count
}

/// Gives wslay more bytes of a received WebSocket frame. Returns -1 if no received bytes are available.
func giveFrameBytes(_ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int, _ flags: Int32, _ owner: UnsafeMutableRawPointer?) -> Int {
    guard let owner, let buffer else { return -1 }
    let given = Unmanaged<FrameReader>.fromOpaque(owner).takeUnretainedValue().give(UnsafeMutableBufferPointer(start: buffer, count: count))
    return given > 0 ? given : -1
}
