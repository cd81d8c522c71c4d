import CMicroHTTPD
import CMicroHTTPDErrors
import RemoteControl

/// A running HTTP server: libmicrohttpd with its thread, and the stream loop with another thread.
///
/// `@unchecked Sendable`: the property `setup` is written before libmicrohttpd starts, and libmicrohttpd reads it until it has stopped. Only
/// `Daemon.stop`, which `MicroHTTPServer` calls once, passes the `daemon` to `MHD_stop_daemon`.
final class Daemon: @unchecked Sendable {
    /// libmicrohttpd's memory for one connection, in bytes; this is libmicrohttpd's default. Half of a connection's memory holds a request head of 16
    /// KiB, and half the parsed header fields.
    private static let connectionMemory = 32 << 10

    private let service: HTTPService
    private let loop: StreamLoop
    private let setup: UnsafeMutablePointer<CMicroHTTPD_Setup>
    private let daemon: OpaquePointer

    /// Starts libmicrohttpd's thread and the thread of the stream loop.
    /// - Throws: `ServerError` if the system provides no thread or descriptor for the server.
    init(_ socket: consuming ListeningSocket, configuration: ServerConfiguration, handler: any HTTPHandler) throws(ServerError) {
        let limit = min(configuration.maximumConnections ?? .max, DescriptorLimit.raise())
        let sweepInterval = min(5, max(0.05, configuration.requestTimeout / 6))
        func sweeps(in seconds: Double) -> UInt32 { UInt32(max(1, min(1e6, seconds / sweepInterval)).rounded(.up)) }
        let connections = ConnectionTable(
            limit: limit, limitPerNetwork: configuration.maximumConnectionsPerNetwork,
            limitOfLoopback: configuration.maximumConnectionsOfLoopback ?? .max, limitOfProxy: configuration.maximumConnectionsOfProxy,
            isProxy: configuration.isProxy,
            sweepsPerRequest: sweeps(in: configuration.requestTimeout), sweepsPerResponse: sweeps(in: configuration.responseTimeout),
            sweepsPerPause: sweeps(in: configuration.keepAliveTimeout))
        let mailbox = try LoopMailbox()
        let service = HTTPService(handler: handler, configuration: configuration, connections: connections, mailbox: mailbox)
        let loop = try StreamLoop(
            service: service, limits: StreamLoop.Limits(stalledStream: configuration.stalledStreamTimeout, sweepInterval: sweepInterval))
        let setup = UnsafeMutablePointer<CMicroHTTPD_Setup>.allocate(capacity: 1)
        setup.initialize(to: Self.setup(for: service, socket: socket.descriptor, limit: limit))

        CMicroHTTPDErrors_setHandler(refuseForLibrary)
        try loop.start()
        handler.serverDidStart(wakeEvents: { mailbox.wakeEveryone() })
        guard let daemon = CMicroHTTPD_start(setup) else {
            loop.stop()
            setup.deallocate()
            throw .library("libmicrohttpd did not start")
        }
        // libmicrohttpd closes the listening socket when it stops, so the socket's owner gives up the descriptor.
        _ = socket.take()
        self.service = service
        self.loop = loop
        self.setup = setup
        self.daemon = daemon
    }

    deinit { setup.deallocate() }

    /// Ends libmicrohttpd's thread and the thread of the stream loop. `Daemon.stop` must be called once.
    func stop() {
        // The order in which the parts of the server are stopped matters. No client's connection may be suspended when libmicrohttpd stops. While
        // libmicrohttpd stops, it passes sockets to the stream loop, which must close them.
        service.stop()
        MHD_stop_daemon(daemon)
        loop.stop()
    }

    private static func setup(for service: HTTPService, socket: Int32, limit: Int) -> CMicroHTTPD_Setup {
        var setup = CMicroHTTPD_Setup()
        setup.listenSocket = socket
        // The connection table refuses connections beyond the limit of the configuration. libmicrohttpd's own limit must be higher, because
        // libmicrohttpd would let connections beyond its limit wait.
        setup.connectionLimit = UInt32(clamping: limit + 64)
        setup.connectionMemory = connectionMemory
        setup.admit = admitClient
        setup.answer = answerRequest
        setup.notifyConnection = connectionDidChange
        setup.notifyCompleted = requestDidComplete
        setup.readTarget = readTarget
        setup.unescape = keepEscapes
        setup.log = logLine
        setup.context = Unmanaged.passUnretained(service).toOpaque()
        return setup
    }
}
