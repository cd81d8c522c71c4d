import Foundation
import PlaybackTesting

/// The part of a response that a client has read.
struct HTTPAnswer {
    var status: Int
    /// The header fields, with names in lower case.
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as a JSON object; an empty dictionary if the body is no JSON object.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:] }
}

/// An HTTP/1.1 client over a plain socket. So a test sees the received bytes unchanged, and can send invalid requests.
struct HTTPClient {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
    var port: UInt16

    /// Sends a request on a connection of its own.
    func send(_ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8]? = nil) throws -> HTTPAnswer {
        var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
        var fields = headers
        if fields["Host"] == nil { fields["Host"] = "127.0.0.1:\(port)" }
        if let body { fields["Content-Length"] = "\(body.count)" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        return try send(raw: Array((head + "\r\n").utf8) + (body ?? []))
    }

    /// Sends a request with a JSON body.
    func send(_ method: String, _ target: String, json: [String: Any]) throws -> HTTPAnswer {
        try send(method, target, headers: ["Content-Type": "application/json"], body: Array(JSONSerialization.data(withJSONObject: json)))
    }

    /// Sends bytes unchanged on a new connection, and reads until the server ends the connection.
    func send(raw: [UInt8]) throws -> HTTPAnswer {
        let socket = try HTTPSocket(port: port, timeout: 30)
        // An error while writing is ignored, because a server may refuse the request before it has read all bytes.
        try? socket.write(raw)
        var bytes: [UInt8] = []
        while let more = try? socket.read() { bytes += more }
        guard let head = HTTPHead(bytes) else { throw Failure(description: "no answer to \(String(decoding: raw.prefix(80), as: UTF8.self))") }
        var body = Array(bytes[head.length...])
        if head.headers["transfer-encoding"]?.lowercased() == "chunked" {
            var decoder = ChunkDecoder()
            body = decoder.decode(body)
        }
        return HTTPAnswer(status: head.status, headers: head.headers, body: body)
    }

    /// Requests the state of the player.
    func state() throws -> [String: Any] { try send("GET", "/api/v1/player").json }

    /// Requests the position that is heard now, in seconds.
    func time() throws -> Double {
        guard let time = try send("GET", "/api/v1/player/time").json["currentTime"] as? Double else { throw Failure(description: "no time") }
        return time
    }

    /// Sends a command, and throws an error if the server refuses it. Returns the response's JSON.
    @discardableResult
    func command(_ method: String, _ target: String, _ json: [String: Any] = [:]) throws -> [String: Any] {
        let answer = try send(method, "/api/v1" + target, json: json)
        guard answer.status < 300 else { throw Failure(description: "\(method) \(target) \(json): \(answer.status) \(answer.text)") }
        return answer.json
    }
}

/// The status line and the header fields of a response.
struct HTTPHead {
    var status: Int
    /// The header fields, with names in lower case.
    var headers: [String: String] = [:]
    /// The number of bytes of the head, including the empty line.
    var length: Int

    /// Parses the head at the beginning of `bytes`; nil if the head is incomplete or malformed.
    init?(_ bytes: [UInt8]) {
        guard let at = bytes.position(of: [13, 10, 13, 10]) else { return nil }
        length = at + 4
        let lines = String(decoding: bytes[..<at], as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return nil }
        self.status = status
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
    }
}

/// A connection to this machine.
final class HTTPSocket {
    private let descriptor: Int32

    /// - Parameter host: The address of the server: an IPv4 address of this machine.
    init(host: String = "127.0.0.1", port: UInt16, timeout: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0 else {
            close(descriptor)
            throw HTTPClient.Failure(description: "no connection to port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Returns a port that is free now.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Daemon.Failure(description: "there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    func write(_ bytes: [UInt8]) throws {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw HTTPClient.Failure(description: "the connection broke while writing") }
            done += count
        }
    }

    /// Whether unread bytes are available, or the connection has ended.
    var hasMore: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) > 0
    }

    /// Waits for bytes, and returns at most `limit` of them; nil at the end of the connection. Throws an error after the time-out, or if the
    /// connection fails.
    func read(atMost limit: Int = 65536) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: min(limit, 65536))
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw HTTPClient.Failure(description: "nothing received: \(String(cString: strerror(errno)))") }
        return count == 0 ? nil : Array(buffer[..<count])
    }
}

/// Decodes the chunked transfer coding (RFC 9112, section 7.1). The encoded bytes may arrive in parts of any size.
struct ChunkDecoder {
    private var rest: [UInt8] = []

    mutating func decode(_ bytes: [UInt8]) -> [UInt8] {
        rest += bytes
        var output: [UInt8] = []
        while let lineEnd = rest.firstIndex(of: 10) {
            let size = String(decoding: rest[..<lineEnd], as: UTF8.self).prefix { $0.isHexDigit }
            guard let count = Int(size, radix: 16), rest.count >= lineEnd + 1 + count + 2 else { break }
            output += rest[(lineEnd + 1)..<(lineEnd + 1 + count)]
            rest.removeFirst(lineEnd + 1 + count + 2)
        }
        return output
    }
}
