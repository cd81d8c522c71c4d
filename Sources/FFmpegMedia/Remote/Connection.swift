import CFFmpeg
import Glibc
import PlaybackEngine

/// One connection to a server, TCP or TLS, by FFmpeg's own `tcp` and `tls`. Every wait ends when the interrupt is raised or after 15 seconds.
final class Connection {
    private let interrupt: Interrupt
    private var raw: UnsafeMutablePointer<AVIOContext>?
    /// Microseconds.
    private static let timeout = "15000000"

    /// The secure connections of the whole process that are being made.
    private static let calls = DetachedCalls("connect", limit: 8, crowded: "Too many connections to servers are being made.")

    /// Connects to `url`, at one of `addresses`, which the caller has found permissible.
    ///
    /// Plain connections go to the very addresses given. For TLS FFmpeg resolves the name once more (its `tls` sends the name to the server
    /// only when it has connected by name): what keeps a name that changes its address meanwhile from leading elsewhere is the
    /// certificate, which is always verified against the name before anything is asked.
    init(_ url: RemoteURL, addresses: [NetworkAddress], interrupt: Interrupt) throws(PlaybackError) {
        self.interrupt = interrupt
        FFmpegLog.silence()
        avformat_network_init()
        var failure: Int32 = 0
        let isNamed = url.isSecure
        let hosts = isNamed ? [url.host.contains(":") ? "[\(url.host)]" : url.host] : addresses.map(\.urlText)
        for host in hosts {
            failure = try connect("\(url.isSecure ? "tls" : "tcp")://\(host):\(url.port)", isSecure: url.isSecure)
            if failure >= 0 { return }
            if interrupt.isRaised { throw .cancelled }
        }
        let underlying = PlaybackError.Underlying(domain: "FFmpeg", code: Int(failure), message: FFmpegError.message(failure))
        throw PlaybackError(.network, "The server could not be reached.", underlying: underlying)
    }

    deinit { close() }

    /// Closes the connection. Idempotent.
    func close() { avio_closep(&raw) }

    private func connect(_ url: String, isSecure: Bool) throws(PlaybackError) -> Int32 {
        guard isSecure else {
            let opened = Connection.open(url, isSecure: false, interrupt)
            raw = opened.context
            return opened.code
        }
        // FFmpeg asks the C library for the address, which knows no interrupt.
        let opened = try Connection.calls.run(
            interrupt: interrupt, patience: 60, late: Connection.lost(-ETIMEDOUT), discard: { (late: Opened) in late.close() }
        ) { [interrupt] in Connection.open(url, isSecure: true, interrupt) }
        raw = opened.context
        return opened.code
    }

    /// What `avio_open2` gave.
    ///
    /// `@unchecked Sendable`: the context has one owner at a time; it is handed over between two threads, and used by the one that has it.
    private struct Opened: @unchecked Sendable {
        let code: Int32
        let context: UnsafeMutablePointer<AVIOContext>?
        func close() {
            var context = context
            avio_closep(&context)
        }
    }

    private static func open(_ url: String, isSecure: Bool, _ interrupt: Interrupt) -> Opened {
        var raw: UnsafeMutablePointer<AVIOContext>?
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        av_dict_set(&options, "timeout", Connection.timeout, 0)
        av_dict_set(&options, "rw_timeout", Connection.timeout, 0)
        av_dict_set(&options, "protocol_whitelist", isSecure ? "tls,tcp" : "tcp", 0)
        if isSecure {
            av_dict_set(&options, "tls_verify", "1", 0)
            // No proxy from the environment: it would resolve names by rules that are not ours.
            av_dict_set(&options, "http_proxy", "", 0)
        }
        var callback = AVIOInterruptCB(callback: connectionInterrupt, opaque: Unmanaged.passUnretained(interrupt).toOpaque())
        let code = avio_open2(&raw, url, AVIO_FLAG_READ_WRITE, &callback, &options)
        return Opened(code: code, context: raw)
    }

    /// Sends all of `bytes`.
    func write(_ bytes: [UInt8]) throws(PlaybackError) {
        guard let raw else { throw Connection.lost(-EPIPE) }
        avio_write(raw, bytes, Int32(bytes.count))
        avio_flush(raw)
        if raw.pointee.error < 0 { throw failure(raw.pointee.error) }
    }

    /// Reads what there is, at least one byte; 0 is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard let raw, let start = buffer.baseAddress, buffer.count > 0 else { return 0 }
        let count = avio_read_partial(raw, start.assumingMemoryBound(to: UInt8.self), Int32(clamping: buffer.count))
        if count >= 0 { return Int(count) }
        if count == FFmpegError.endOfFile { return 0 }
        throw failure(count)
    }

    /// Reads what there is, at least one byte; nothing is the end.
    func read(upTo count: Int) throws(PlaybackError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        return Array(buffer[..<(try read(into: buffer))])
    }

    private func failure(_ code: Int32) -> PlaybackError { interrupt.isRaised || code == FFmpegError.exit ? .cancelled : Connection.lost(code) }

    private static func lost(_ code: Int32) -> PlaybackError {
        let underlying = PlaybackError.Underlying(domain: "FFmpeg", code: Int(code), message: FFmpegError.message(code))
        return PlaybackError(
            .network, code == -ETIMEDOUT ? "The server did not answer in time." : "The connection to the server was lost.", underlying: underlying)
    }
}

/// `AVIOInterruptCB` of a connection.
func connectionInterrupt(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque else { return 0 }
    return Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
}
