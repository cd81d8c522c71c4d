import Platform
import PlaybackEngine

/// One connection to a server of media, over TCP or TLS. Every wait of a connection ends when the interrupt is raised, and at the latest at its
/// deadline.
final class Connection {
    private let stream: TCPStream
    private let session: TLSSession?

    /// Connects to the server of `url`, at the first of `addresses` that answers. The caller has checked the network addresses, and the server's name
    /// is not looked up again.
    ///
    /// Errors of the connection: `network`, also if the certificate of a secure server is not valid for the server's name; `permissionDenied` if a
    /// proxy refuses; `cancelled`.
    ///
    /// - Parameters:
    ///   - proxy: The proxy to which `addresses` belong; nil if they are the server's. If the URL is secure, the proxy opens a tunnel to the server,
    ///     and the TLS session inside is with the server.
    ///   - deadline: The host time at which the attempt to connect ends; nil for `HTTPSession.attemptLimit` seconds from now.
    init(
        _ url: RemoteURL, addresses: [NetworkAddress], proxy: HTTPProxy? = nil, interrupt: Interrupt,
        credentials: TLSSession.Credentials = .system, deadline: HostTime? = nil
    ) throws(PlaybackError) {
        let deadline = deadline ?? MonotonicClock().now + HTTPSession.attemptLimit
        let stream: TCPStream
        do throws(PlaybackError) {
            stream = try TCPStream(addresses, port: proxy?.port ?? url.port, interrupt: interrupt, deadline: deadline)
        } catch { throw proxy?.unreachable(error) ?? error }
        self.stream = stream
        if url.isSecure, let proxy { try Connection.openTunnel(proxy, to: url, over: stream) }
        do throws(PlaybackError) {
            session = url.isSecure ? try TLSSession(stream, host: url.host, credentials: credentials) : nil
        } catch { throw stream.reason(for: error) }
    }

    /// Requests a tunnel from the proxy to the server of `url`, after which `stream` leads to the server.
    private static func openTunnel(_ proxy: HTTPProxy, to url: RemoteURL, over stream: TCPStream) throws(PlaybackError) {
        let head: (reply: HTTPReply, rest: [UInt8])?
        do throws(PlaybackError) {
            try stream.write(proxy.tunnelRequest(to: url))
            head = try HTTPHead.read { count throws(PlaybackError) in try stream.read(upTo: count) }
        } catch { throw error.reason == .badResponse ? error : proxy.unreachable(error) }
        guard let head else { throw proxy.unreachable(.connectionLost) }
        guard (200..<300).contains(head.reply.status) else { throw proxy.refusal(url, status: head.reply.status) }
        // In TLS the client sends first, so bytes that have already arrived after the proxy's response are not from the server.
        guard head.rest.isEmpty else { throw PlaybackError(.network, "The proxy \(proxy.name) sends bytes that are not TLS.", reason: .badResponse) }
    }

    /// Sets the host time at which waits of the connection end with the error `silent`. The connection can be used further after such an error.
    func setDeadline(_ time: HostTime) { stream.setDeadline(time) }

    /// The network address to which the connection leads: the server's, or the proxy's if there is one.
    var address: NetworkAddress? { stream.address }

    /// Whether the server has closed the idle connection, or has sent bytes that were not requested.
    var isStale: Bool { session?.hasPending == true || stream.isStale }

    /// Sends all of `bytes` over the connection to the server.
    func write(_ bytes: [UInt8]) throws(PlaybackError) {
        guard let session else { return try stream.write(bytes) }
        do throws(PlaybackError) { try session.write(bytes) } catch { throw stream.reason(for: error) }
    }

    /// Reads the bytes that have arrived from the server, at least one, and returns their number; 0 at the end of the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard let session else { return try stream.read(into: buffer) }
        do throws(PlaybackError) { return try session.read(into: buffer) } catch { throw stream.reason(for: error) }
    }

    /// Reads the bytes that have arrived from the server, at least one and at most `count`; an empty array at the end of the connection.
    func read(upTo count: Int) throws(PlaybackError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        return Array(buffer[..<(try read(into: buffer))])
    }
}
