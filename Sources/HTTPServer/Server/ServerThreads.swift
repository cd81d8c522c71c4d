import CMicroHTTPD
import RemoteControl

/// The thread of libmicrohttpd, and the thread of the stream loop.
///
/// `@unchecked Sendable`: `setup` is written before libmicrohttpd starts; `daemon` is used only by `stop`, which is called once.
final class ServerThreads: @unchecked Sendable {
    /// libmicrohttpd's memory for a connection, in bytes. The value is its default: half for a head of 16 KiB, half for the parsed fields.
    static let connectionMemory = 32 << 10

    private let service: HTTPService
    private let loop: StreamLoop
    private let setup: UnsafeMutablePointer<CMicroHTTPD_Setup>
    private let daemon: OpaquePointer

    /// Starts both threads. Throws if the system has no thread or descriptor.
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
            service: service,
            limits: StreamLoop.Limits(
                stalledStream: configuration.stalledStreamTimeout, farewell: configuration.farewellTimeout, sweepInterval: sweepInterval))
        let setup = UnsafeMutablePointer<CMicroHTTPD_Setup>.allocate(capacity: 1)
        setup.initialize(to: Self.setup(for: service, socket: socket.descriptor, limit: limit))

        try loop.start()
        handler.serverDidStart(wakeEvents: { mailbox.wakeEveryone() })
        guard let daemon = CMicroHTTPD_start(setup) else {
            loop.stop()
            setup.deallocate()
            throw .library("libmicrohttpd did not start")
        }
        // From here on libmicrohttpd owns the listening socket, and closes it.
        _ = socket.take()
        self.service = service
        self.loop = loop
        self.setup = setup
        self.daemon = daemon
    }

    deinit { setup.deallocate() }

    var isAnswering: Bool { service.connections.isAnswering }

    /// Stops both threads, and returns after they have ended. Called once.
    func stop() {
        // The service stops first, because no connection may be suspended when libmicrohttpd stops; the loop stops last, because it gets sockets.
        service.stop()
        MHD_stop_daemon(daemon)
        loop.stop()
    }

    private static func setup(for service: HTTPService, socket: Int32, limit: Int) -> CMicroHTTPD_Setup {
        var setup = CMicroHTTPD_Setup()
        setup.listenSocket = socket
        // libmicrohttpd's limit must be higher than ours, because connections beyond libmicrohttpd's limit wait without an answer.
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
