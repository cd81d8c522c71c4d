import Glibc

/// A raw TCP client for tests. The client sends exactly the given bytes, and waits for received bytes only until a deadline. Only one thread at a
/// time may use the client.
public final class TestClient {
    /// The error if the tested server does not behave as the test expects.
    public enum Failure: Error, Equatable {
        case notConnected(errno: Int32)
        case notSent(errno: Int32)
        /// The deadline passed before enough data arrived. The associated text is the data that was received before the deadline.
        case deadline(String)
        /// The server closed the connection before enough data arrived. The associated text is the data that was received before the end.
        case closed(String)
        case malformed(String)
    }

    /// An HTTP response, as the client received it.
    public struct Response: Sendable {
        public var status: Int
        public var headers: [(name: String, value: String)]
        public var body: [UInt8]

        public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    private var descriptor: Int32
    /// The bytes that the client has received and the test has not read.
    private var buffer: [UInt8] = []
    /// The maximum time for which the client waits for data, in seconds. Set by a test that expects no data.
    public var deadline = 10.0
    /// An object that must live as long as the client, such as its server.
    public let companion: AnyObject?

    /// Connects the client to a server.
    ///
    /// - Parameters:
    ///   - source: The local address of the connection; nil for any local address.
    ///   - receiveBuffer: The size of the client's receive buffer, in bytes; nil for the system's default. If the receive buffer is small, the
    ///     server's sends soon block.
    ///   - companion: An object that must live as long as the client.
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

    /// Sends a `GET` request, or a request with another method, with a valid `Host`.
    /// - Parameter headers: The header lines in addition to `Host`, each with its CRLF.
    public func get(_ target: String, method: String = "GET", headers: String = "") throws {
        try send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
    }

    /// Returns whether the socket accepts more data before the deadline.
    public func maySend() -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&event, 1, Int32(deadline * 1000)) > 0
    }

    /// Ends the sending direction of the client's connection, so that the server receives an end of stream.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    public func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes the client's connection with a reset, as if the client's machine had disappeared.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

// MARK: - Reading

extension TestClient {
    /// Reads an HTTP response with its body.
    /// - Parameter isHead: Whether the request was a `HEAD`, so that no body follows, whatever the head of the response announces.
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

    /// Reads the head of an HTTP response, and no byte after the head.
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

    /// Reads until the text `marker` has arrived. Returns all received text up to the end of `marker`.
    public func read(through marker: String) throws -> String {
        let wanted = Array(marker.utf8)
        var searched = 0
        while true {
            while searched + wanted.count <= buffer.count {
                if buffer[searched..<(searched + wanted.count)].elementsEqual(wanted) {
                    let taken = buffer.prefix(searched + wanted.count)
                    buffer.removeFirst(taken.count)
                    return String(decoding: taken, as: UTF8.self)
                }
                searched += 1
            }
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

    /// Reads until the server closes or resets the connection. Returns all bytes that the test had not read before.
    public func readToEnd() throws -> [UInt8] {
        while try readMore() {}
        defer { buffer = [] }
        return buffer
    }

    /// Receives more data from the server into `buffer`. Returns false if the server has closed or reset the connection.
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
    /// The lines of a message's head, before the empty line that ends the head.
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
