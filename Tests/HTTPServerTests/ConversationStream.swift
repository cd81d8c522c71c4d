import RemoteControl
import Synchronization

/// The server's end of a WebSocket. It sends each message back, as WebSocket test suites expect, and a test can make it stop reading.
final class EchoSocket: DuplexStream {
    private struct Content {
        var output = StreamContent()
        var heard = 0
        var isDeaf = false
        var wake: (@Sendable () -> Void)?
    }

    /// `@unchecked Sendable`: the reader is used only by `receive`, which the server calls from one thread.
    private final class Reader: @unchecked Sendable {
        let reader = MessageReader(maximumSize: 1 << 20)
    }

    private let content = Mutex(Content())
    private let input = Reader()
    let opened = Occasion()
    let closed = Occasion()

    func open(wake: @escaping @Sendable () -> Void) {
        content.withLock { $0.wake = wake }
        opened.happen()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? { content.withLock { $0.output.read(into: buffer) } }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        content.withLock { $0.heard += bytes.count }
        for event in input.reader.read(bytes) {
            switch event {
            case .text(let text): say(SocketFrame.text(text))
            case .binary(let bytes): say(SocketFrame.encoded(.binary, bytes))
            case .reply(let frame, let isLast): say(frame, isLast: isLast)
            }
        }
    }

    var wantsInput: Bool { content.withLock { !$0.isDeaf && !$0.output.isOver } }

    func close() { closed.happen() }

    /// The number of bytes that the WebSocket has received.
    var heard: Int { content.withLock { $0.heard } }

    /// Stops or resumes reading.
    func setDeaf(_ isDeaf: Bool) {
        let wake = content.withLock { content in
            content.isDeaf = isDeaf
            return content.wake
        }
        wake?()
    }

    func say(_ bytes: [UInt8], isLast: Bool = false) {
        let wake = content.withLock { content in
            content.output.waiting += bytes
            content.output.isOver = content.output.isOver || isLast
            return content.wake
        }
        wake?()
    }

    /// Returns a handler that upgrades every connection to this WebSocket.
    static func handler(_ socket: EchoSocket) -> ScriptedHandler {
        ScriptedHandler { request, _ in
            guard let accept = request.header("Sec-WebSocket-Key").flatMap({ Handshake.accept(key: $0) }) else { return HTTPResponse(status: 426) }
            let headers = [
                (name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade"), (name: "Sec-WebSocket-Accept", value: accept),
            ]
            return HTTPResponse(status: 101, headers: headers, events: socket)
        }
    }
}
