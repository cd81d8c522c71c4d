import Foundation
import Glibc
import Synchronization

/// A small HTTP server on the loopback address, with a thread for each connection. It sends the test's responses, which may be invalid.
package final class MediaServer: Sendable {
    package struct Request: Sendable {
        package var target: String
        package var fields: [String: String]
        /// The offset of the first byte of the requested range; 0 if the request has no range.
        package var start: Int { fields["range"].flatMap { Int($0.dropFirst(6).prefix { $0.isNumber }) } ?? 0 }
    }
    package enum Answer: Sendable {
        /// A response with these bytes. The server supports byte ranges if `ranges` is true; otherwise it always sends all bytes.
        case bytes([UInt8], ranges: Bool)
        /// A response with the requested range of these bytes, but the connection ends after `after` bytes of each response.
        case dropping([UInt8], after: Int)
        case chunked([UInt8], size: Int)
        /// Exactly this text as the whole response; then the connection ends.
        case raw(String)
        /// Exactly these bytes as the whole response, one array after the other; then the connection ends.
        case sequence([[UInt8]])
        /// Zeros without end, until the client disconnects, but at most `limit` bytes. `ended` gets the number of bytes that were sent.
        case flood(limit: Int, ended: @Sendable (Int) -> Void)
        /// The server sends nothing, and keeps the connection open until it stops.
        case silence
    }

    private let listener: LoopbackListener
    private let seen = Mutex<[Request]>([])
    private let handler: @Sendable (Request) -> Answer

    package init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
        self.handler = handler
        listener = try LoopbackListener()
        listener.start { [self] in serve($0) }
    }

    package var port: UInt16 { listener.port }
    /// The requests received so far.
    package var requests: [Request] { seen.withLock { $0 } }

    package func url(_ target: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(target)" }

    /// Ends all connections, and accepts no further ones.
    package func stop() { listener.stop() }

    private func serve(_ connection: Int32) {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        let lines = text.components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let request = Request(target: lines[0].components(separatedBy: " ").dropFirst().first ?? "", fields: fields)
        seen.withLock { $0.append(request) }
        switch handler(request) {
        case .bytes(let bytes, ranges: true): send(connection, MediaServer.partial(bytes, request.start), bytes.dropFirst(request.start))
        case .bytes(let bytes, ranges: false): send(connection, "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n", bytes[...])
        case .dropping(let bytes, let limit):
            send(connection, MediaServer.partial(bytes, request.start), bytes.dropFirst(request.start).prefix(limit))
        case .chunked(let bytes, let size):
            send(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", [])
            for start in stride(from: 0, to: bytes.count, by: size) {
                let chunk = bytes[start..<min(start + size, bytes.count)]
                send(connection, String(chunk.count, radix: 16) + "\r\n", chunk)
                send(connection, "\r\n", [])
            }
            send(connection, "0\r\n\r\n", [])
        case .raw(let text): send(connection, text, [])
        case .sequence(let parts): for part in parts { send(connection, "", part[...]) }
        case .flood(let limit, let ended):
            let block = [UInt8](repeating: 0, count: 64 << 10)
            var sent = 0
            send(connection, "HTTP/1.1 200 OK\r\n\r\n", [])
            while sent < limit {
                let count = Glibc.send(connection, block, block.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { break }
                sent += count
            }
            ended(sent)
        case .silence: _ = recv(connection, &buffer, buffer.count, 0)
        }
    }

    private static func partial(_ bytes: [UInt8], _ start: Int) -> String {
        guard start < bytes.count else { return "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(bytes.count)\r\n\r\n" }
        return """
            HTTP/1.1 206 Partial Content\r\nContent-Length: \(bytes.count - start)\r\n\
            Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n\r\n
            """
    }

    private func send(_ connection: Int32, _ head: String, _ body: ArraySlice<UInt8>) {
        var bytes = Array(head.utf8) + body
        while !bytes.isEmpty {
            let count = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            bytes.removeFirst(count)
        }
    }

    /// Returns a block of a radio station's metadata with a text. The length of the block precedes it (`ICYFilter`).
    package static func titleBlock(_ text: [UInt8]) -> [UInt8] {
        let units = (text.count + 15) / 16
        return [UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count)
    }
    package static func titleBlock(_ text: String) -> [UInt8] { titleBlock(Array(text.utf8)) }
}
