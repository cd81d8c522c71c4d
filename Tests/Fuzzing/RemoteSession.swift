import AVFoundation
import Foundation
import Glibc
import HTTPServer
import PlaybackEngine
import RemoteControl

// A libFuzzer target for the server: each run is a whole connection, on which a client sends the fuzzer's bytes. The server, the API and the socket
// are real; the player only stores values. The first byte selects the meaning of the other bytes: HTTP, WebSocket frames after a valid handshake, or
// lines that are sent as WebSocket messages.

/// The entry point of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRemoteSession(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    MainActor.assumeIsolated { Session.run(kind: bytes[0] % 3, Array(bytes.dropFirst())) }
    return 0
}

/// Traps if a guarantee is violated, so that the fuzzer reports a finding.
private func require(_ isKept: Bool, _ promise: @autoclosure () -> String) {
    if isKept { return }
    let bytes = Array(("broken: " + promise() + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    abort()
}

@MainActor private enum Session {
    private static let player = FakeRemotePlayer()
    private static let server: MicroHTTPServer = {
        do {
            var configuration = RemoteAPI.Configuration(media: try PathConfinement())
            configuration.maximumWait = 0.01
            configuration.epoch = "e0"
            let environment = PlaybackEnvironment.default
            let api = RemoteAPI(player: player, configuration: configuration, clock: environment.clock, scheduler: environment.scheduler)
            var serving = ServerConfiguration(address: try ListenAddress("127.0.0.1:0"))
            serving.requestTimeout = 1
            serving.maximumBodySize = RemoteAPI.maximumBodyLength
            let server = try MicroHTTPServer(configuration: serving, handler: api)
            try server.start()
            return server
        } catch { fatalError("the server does not start: \(error)") }
    }()

    static func run(kind: UInt8, _ bytes: [UInt8]) {
        let client = connect()
        defer { close(client) }
        switch kind {
        case 0:
            send(bytes, to: client)
            shutdown(client, Int32(SHUT_WR))
            checkHTTP(receive(from: client))
        case 1:
            send(handshake + bytes, to: client, behind: handshake.count)
            shutdown(client, Int32(SHUT_WR))
            checkSocket(receive(from: client))
        default:
            let messages = bytes.split(separator: 0x0A).flatMap { frame(0x1, Array($0)) }
            send(handshake + messages + frame(0x8, [0x03, 0xE8]), to: client, behind: handshake.count)
            checkSocket(receive(from: client))
        }
    }

    private static let handshake = Array(
        ("GET /api/v1/socket?tick=1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8)

    private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)]
            : payload.count < 65536
                ? [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
                : [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        return [0x80 | opcode] + length + [0, 0, 0, 0] + payload
    }

    // MARK: The wire

    private static func connect() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Closing the socket resets the connection. Otherwise the kernel would keep each closed connection for a while, and there are thousands a
        // second.
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = server.port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        require(code == 0, "the server accepts no connection: \(errno)")
        return descriptor
    }

    /// Sends `bytes`. If `first` is not 0, the first `first` bytes are sent alone, and the others after the response to them has arrived. A WebSocket
    /// client must wait like that after its handshake.
    private static func send(_ bytes: [UInt8], to client: Int32, behind first: Int = 0) {
        var sent = 0
        var isWaiting = first > 0
        while sent < bytes.count {
            let end = isWaiting ? first : bytes.count
            let count = bytes[sent..<end].withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
            if count < 0 {
                // Another error than EAGAIN means that the server has closed the connection.
                guard errno == EAGAIN else { return }
                runMainQueue()
                require(isReady(client, for: POLLOUT), "the server reads nothing for ten seconds")
                continue
            }
            sent += count
            if isWaiting, sent == first {
                isWaiting = false
                require(isReady(client, for: POLLIN), "there is no answer to a handshake")
            }
        }
    }

    /// Whether the socket is ready within ten seconds. The fuzzer's alarm interrupts the wait, which then begins again.
    private static func isReady(_ client: Int32, for events: Int32) -> Bool {
        var event = pollfd(fd: client, events: Int16(events), revents: 0)
        while true {
            let count = poll(&event, 1, 10_000)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// Receives bytes until the server ends the connection, and returns all of them.
    private static func receive(from client: Int32) -> [UInt8] {
        var received: [UInt8] = []
        var waits = 0
        while true {
            runMainQueue()
            var event = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 5) > 0 else {
                waits += 1
                require(waits < 3000, "the server does not end the connection")
                continue
            }
            let count = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
                let count = recv(client, buffer.baseAddress, buffer.count, 0)
                if count > 0 { received.append(contentsOf: buffer[..<count]) }
                return count
            }
            if count <= 0 { return received }
        }
    }

    private static func runMainQueue() { _ = RunLoop.main.run(mode: .default, before: .distantPast) }

    // MARK: Guarantees

    private static func checkHTTP(_ answer: [UInt8]) {
        guard !answer.isEmpty else { return }
        let text = String(decoding: answer.prefix(12), as: UTF8.self)
        require(text.hasPrefix("HTTP/1."), "a response that is not HTTP: \(text)")
        // For an HTTP version that libmicrohttpd does not support, the status is 505.
        let status = Int(text.suffix(3)) ?? 0
        require((100..<500).contains(status) || status == 505, "a status that no client can cause: \(text)")
    }

    private static func checkSocket(_ answer: [UInt8]) {
        guard let end = answer.indices.first(where: { answer[$0...].starts(with: [13, 10, 13, 10]) }) else { return }
        require(answer.starts(with: Array("HTTP/1.1 101 ".utf8)), "the handshake is refused")
        var rest = answer[(end + 4)...]
        var isClosed = false
        while rest.count >= 2 {
            require(!isClosed, "data follows a close frame")
            let first = rest[rest.startIndex]
            let short = Int(rest[rest.startIndex + 1])
            let extra = short < 126 ? 0 : short == 126 ? 2 : 8
            require(short < 128 && [0x81, 0x88, 0x8A].contains(first), "a frame that no server sends: \(first) \(short)")
            rest = rest.dropFirst(2)
            let length = extra == 0 ? short : rest.prefix(extra).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(extra)
            // The last frame may be incomplete, because an aborted connection can end after any byte.
            guard rest.count >= length else { return }
            let payload = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            if first == 0x81 {
                let message = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
                require(message.map { $0["event"] != nil || $0["result"] != nil || $0["problem"] != nil } == true, "an invalid message")
                let problem = message?["problem"] as? [String: Any]
                require((problem?["status"] as? Int ?? 400) < 500, "a problem that no client can cause")
            }
            isClosed = first == 0x88
        }
    }
}
