import CFFmpeg
import Glibc
import PlaybackEngine

/// One connection to a server of media, over TCP or TLS. Every wait of a connection ends when the interrupt is raised, and at the latest after 15
/// seconds.
final class Connection {
    private let stream: TCPStream
    private let session: TLSSession?

    /// Connects to the server of `url`, at the first of `addresses` that answers. The caller has checked the network addresses, and the server's name
    /// is not looked up again.
    ///
    /// Errors of the connection: `network`, also if the certificate of a secure server is not valid for the server's name; `cancelled`.
    init(_ url: RemoteURL, addresses: [NetworkAddress], interrupt: Interrupt, credentials: TLSSession.Credentials = .system) throws(PlaybackError) {
        let stream = try TCPStream(addresses, port: url.port, interrupt: interrupt)
        self.stream = stream
        do throws(PlaybackError) {
            session = url.isSecure ? try TLSSession(stream, host: url.host, credentials: credentials) : nil
        } catch { throw stream.reason(for: error) }
    }

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

/// A TCP connection to a network address, through FFmpeg's own `tcp` protocol. `TCPStream` never looks up a name.
final class TCPStream: TLSTransport {
    private let interrupt: Interrupt
    private var raw: UnsafeMutablePointer<AVIOContext>?
    /// The last error of the TCP connection, because a TLS session reports only that there was an error.
    private var lastFailure: PlaybackError?
    /// The time limit for each wait of a connection to a media server, in microseconds, as a text for FFmpeg.
    private static let timeout = "15000000"

    /// Connects to the first of the network addresses `addresses` that answers.
    init(_ addresses: [NetworkAddress], port: UInt16, interrupt: Interrupt) throws(PlaybackError) {
        self.interrupt = interrupt
        FFmpegLibrary.prepare()
        avformat_network_init()
        var failure: Int32 = 0
        for address in addresses {
            failure = open("tcp://\(address.urlText):\(port)")
            if failure >= 0 { return }
            if interrupt.isRaised { throw .cancelled }
        }
        let underlying = PlaybackError.Underlying(domain: "FFmpeg", code: Int(failure), message: FFmpegError.message(failure))
        throw PlaybackError(.network, "The server could not be reached.", underlying: underlying)
    }

    deinit { avio_closep(&raw) }

    private func open(_ url: String) -> Int32 {
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "timeout", TCPStream.timeout, 0)
        av_dict_set(&options, "rw_timeout", TCPStream.timeout, 0)
        av_dict_set(&options, "protocol_whitelist", "tcp", 0)
        var callback = AVIOInterruptCB(callback: connectionInterrupt, opaque: Unmanaged.passUnretained(interrupt).toOpaque())
        return avio_open2(&raw, url, AVIO_FLAG_READ_WRITE, &callback, &options)
    }

    /// Sends all of `bytes` over the connection to the server.
    func write(_ bytes: [UInt8]) throws(PlaybackError) {
        if !bytes.withUnsafeBytes({ send($0) }) { throw lastFailure ?? TCPStream.lost(-EPIPE) }
    }

    /// Reads the bytes that have arrived from the server, at least one, and returns their number; 0 at the end of the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard let count = receive(into: buffer) else { throw lastFailure ?? TCPStream.lost(-EPIPE) }
        return count
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let raw, let start = bytes.baseAddress else { return bytes.isEmpty }
        avio_write(raw, start.assumingMemoryBound(to: UInt8.self), Int32(clamping: bytes.count))
        avio_flush(raw)
        guard raw.pointee.error < 0 else { return true }
        lastFailure = failure(raw.pointee.error)
        return false
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let raw, let start = buffer.baseAddress, buffer.count > 0 else { return 0 }
        let count = avio_read_partial(raw, start.assumingMemoryBound(to: UInt8.self), Int32(clamping: buffer.count))
        if count >= 0 { return Int(count) }
        if count == FFmpegError.endOfFile { return 0 }
        lastFailure = failure(count)
        return nil
    }

    /// Returns the reason why a TLS session over this TCP connection failed with `error`.
    func reason(for error: PlaybackError) -> PlaybackError { interrupt.isRaised ? .cancelled : lastFailure ?? error }

    private func failure(_ code: Int32) -> PlaybackError { interrupt.isRaised || code == FFmpegError.exit ? .cancelled : TCPStream.lost(code) }

    private static func lost(_ code: Int32) -> PlaybackError {
        let underlying = PlaybackError.Underlying(domain: "FFmpeg", code: Int(code), message: FFmpegError.message(code))
        return PlaybackError(
            .network, code == -ETIMEDOUT ? "The server did not respond in time." : "The connection to the server was lost.", underlying: underlying)
    }
}

/// The callback by which FFmpeg asks whether it must end a wait of a connection (`AVIOInterruptCB`).
func connectionInterrupt(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque else { return 0 }
    return Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
}
