import Glibc

/// A client over raw TCP, which sends exactly the given bytes, and waits until a deadline. Only one thread may use it.
public final class TestClient {
    /// The server does not behave as expected.
    public enum Failure: Error, Equatable {
        case notConnected(errno: Int32)
        case notSent(errno: Int32)
        /// No data arrived in time; the value is the text that was received before.
        case deadline(String)
        /// The server has closed the connection; the value is the text that was received before.
        case closed(String)
        case malformed(String)
    }

    /// An HTTP response as received.
    public struct Response: Sendable {
        public var status: Int
        public var headers: [(name: String, value: String)]
        public var body: [UInt8]

        public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// The longest wait for data, in seconds; shorter in a test that expects no data.
    public var deadline = 10.0
    /// An object that lives as long as the client, such as the server.
    public let companion: AnyObject?

    /// - Parameters:
    ///   - source: The local address from which the client connects; nil for any.
    ///   - receiveBuffer: The size of the receive buffer, in bytes; if it is small, the server's sends soon block.
    ///   - companion: An object that lives as long as the client.
    public init(
        port: UInt16, address: String = "127.0.0.1", from source: String? = nil, receiveBuffer: Int32? = nil, companion: AnyObject? = nil
    ) throws {
        self.companion = companion
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        var noDelay: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
        if let source {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = inet_addr(source)
            _ = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr.s_addr = inet_addr(address)
        let code = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0 else { throw Failure.notConnected(errno: errno) }
    }

    deinit { close() }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure.notSent(errno: errno) }
            sent += count
        }
    }

    /// Sends a request with a valid `Host`.
    /// - Parameter headers: Further lines, each with its CRLF.
    public func get(_ target: String, method: String = "GET", headers: String = "") throws {
        try send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
    }

    /// Whether bytes can be sent before the deadline.
    public func maySend() -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&event, 1, Int32(deadline * 1000)) > 0
    }

    /// Ends the output of the client. The server receives an end of stream.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    public func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes the connection with a reset.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

// MARK: - Reading

extension TestClient {
    /// Reads a response.
    /// - Parameter isHead: Whether the request was HEAD, so that no body follows, whatever the head announces.
    public func response(isHead: Bool = false) throws -> Response {
        var response = try head()
        guard !isHead, response.status != 204, response.status != 304, response.status >= 200 else { return response }
        if let length = response.header("Content-Length").flatMap({ Int($0) }) {
            response.body = try read(count: length)
        } else if response.header("Transfer-Encoding") == "chunked" {
            while true {
                let line = try read(through: "\r\n").dropLast(2)
                guard let size = Int(line, radix: 16) else { throw Failure.malformed(String(line)) }
                response.body += try read(count: size)
                _ = try read(through: "\r\n")
                if size == 0 { break }
            }
        } else {
            response.body = try readToEnd()
        }
        return response
    }

    /// Reads the head of a response, and no byte after it.
    public func head() throws -> Response {
        let lines = try read(through: "\r\n\r\n").headLines
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { throw Failure.malformed(lines[0]) }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (name: String(parts[0]), value: String(value))
        }
        return Response(status: status, headers: headers, body: [])
    }

    public func read(through marker: String) throws -> String {
        let wanted = Array(marker.utf8)
        var searched = 0
        while true {
            if let found = buffer.position(of: wanted, from: searched) {
                let taken = buffer.prefix(found + wanted.count)
                buffer.removeFirst(taken.count)
                return String(decoding: taken, as: UTF8.self)
            }
            searched = max(0, buffer.count - wanted.count + 1)
            guard try readMore() else { throw Failure.closed(String(decoding: buffer, as: UTF8.self)) }
        }
    }

    public func read(count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try readMore() else { throw Failure.closed(String(decoding: buffer, as: UTF8.self)) }
        }
        let taken = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return taken
    }

    /// Reads all bytes to the end of the stream.
    public func readToEnd() throws -> [UInt8] {
        while try readMore() {}
        defer { buffer = [] }
        return buffer
    }

    /// Reads more bytes into the buffer. Returns false after the server's close or reset.
    private func readMore() throws -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, Int32(deadline * 1000)) > 0 else { throw Failure.deadline(String(decoding: buffer, as: UTF8.self)) }
        let count = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { storage in
            let count = recv(descriptor, storage.baseAddress, storage.count, 0)
            if count > 0 { buffer.append(contentsOf: storage[..<count]) }
            return count
        }
        return count > 0
    }
}

extension String {
    /// The lines before the first empty one.
    fileprivate var headLines: [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        for byte in utf8 where byte != 0x0D {
            if byte == 0x0A {
                if line.isEmpty { break }
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else {
                line.append(byte)
            }
        }
        return lines.isEmpty ? [""] : lines
    }
}

extension Array where Element == UInt8 {
    /// Returns the first index, from `start` on, at which `wanted` is found; nil if there is none.
    public func position(of wanted: [UInt8], from start: Int = 0) -> Int? {
        var index = start
        while index + wanted.count <= count {
            if (0..<wanted.count).allSatisfy({ self[index + $0] == wanted[$0] }) { return index }
            index += 1
        }
        return nil
    }
}

/// A WebSocket frame from a client (RFC 6455, section 5.2), perhaps malformed.
public struct ClientFrame: Sendable {
    public var opcode: UInt8
    public var payload: [UInt8]
    public var isFinal = true
    /// The three reserved bits: RSV1 is 4, RSV2 is 2, RSV3 is 1.
    public var reservedBits: UInt8 = 0
    /// The mask of 4 bytes; if nil, the frame is not masked, which the RFC forbids.
    public var mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]

    public init(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reservedBits = reservedBits
    }

    public static func text(_ text: String, isFinal: Bool = true) -> ClientFrame { ClientFrame(0x1, Array(text.utf8), isFinal: isFinal) }
    public static func binary(_ payload: [UInt8], isFinal: Bool = true) -> ClientFrame { ClientFrame(0x2, payload, isFinal: isFinal) }
    public static func continuation(_ payload: [UInt8], isFinal: Bool = true) -> ClientFrame { ClientFrame(0x0, payload, isFinal: isFinal) }
    public static func ping(_ payload: [UInt8] = []) -> ClientFrame { ClientFrame(0x9, payload) }
    public static func pong(_ payload: [UInt8] = []) -> ClientFrame { ClientFrame(0xA, payload) }
    public static func close(_ code: UInt16? = nil, _ reason: [UInt8] = []) -> ClientFrame {
        ClientFrame(0x8, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
    }

    public var bytes: [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reservedBits << 4 | opcode]
        let flag: UInt8 = mask == nil ? 0 : 0x80
        switch payload.count {
        case 0..<126: bytes.append(flag | UInt8(payload.count))
        case 126..<65536: bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: bytes += [flag | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }
}
