import CLinux
import Glibc
import Platform
import RemoteControl
import Synchronization

/// The thread that serves every event stream and every WebSocket (the stream loop). The stream loop uses one epoll set, one socket for each client,
/// and no buffer for idle clients.
///
/// libmicrohttpd reads the request for an event stream, and then passes the socket to the stream loop. Instead, libmicrohttpd could suspend the
/// connection and resume it for each event. But then libmicrohttpd would keep the connection's memory, and would not detect that the client
/// disconnected. At each resumption libmicrohttpd would also search its whole list of suspended connections, which with ten thousand clients delays
/// other requests.
///
/// `@unchecked Sendable`: all private properties are used only on the loop's own thread, from `start` until `stop` has returned. The mailbox is
/// `Sendable` itself.
final class StreamLoop: @unchecked Sendable {
    /// The time limits of the stream loop's connections, in seconds.
    struct Limits {
        var stalledStream: Double
        var farewell: Double
        /// The time between two sweeps (searches for overdue connections), in seconds. Sweeps run only while a connection could become overdue.
        var sweepInterval: Double
    }

    let mailbox: LoopMailbox
    private let connections: ConnectionTable
    private let deferred: DeferredAnswers
    private let limits: Limits
    private let epoll: Int32
    private var thread: WorkerThread?

    private var sockets: [StreamSocket] = []
    /// The sockets that were closed in this round (one pass of the loop in `run`). They are retained until the end of the round, because later events
    /// of the same round may still refer to them.
    private var closed: [StreamSocket] = []
    /// The wakers of the event streams that have more data than they may send in one round of the loop.
    private var unfinished: [StreamWaker] = []
    /// The number of sockets that are `blocked` (their client accepts no more bytes), and of `farewells` (sockets that send the last bytes of a
    /// connection). Only these sockets can become overdue.
    private var blocked = 0
    private var farewells = 0
    private var now = 0.0
    private var nextSweep = 0.0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    /// Creates the stream loop without starting its thread.
    /// - Throws: `ServerError.system` if the system provides no descriptor for the stream loop.
    init(service: HTTPService, limits: Limits) throws(ServerError) {
        connections = service.connections
        deferred = service.deferred
        mailbox = service.mailbox
        self.limits = limits
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(SystemError(operation: "epoll_create1", code: errno)) }
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, mailbox.signalDescriptor, &interest) == 0 else {
            throw .system(SystemError(operation: "epoll_ctl", code: errno))
        }
    }

    deinit {
        if epoll >= 0 { Glibc.close(epoll) }
        scratch.deallocate()
    }

    /// Starts the thread of the stream loop.
    /// - Throws: `ServerError.system` if the system provides no thread for the stream loop.
    func start() throws(ServerError) {
        do throws(SystemError) {
            thread = try WorkerThread(starting: "http-events") { self.run() }
        } catch {
            throw .system(error)
        }
    }

    /// Closes every event stream, ends the stream loop's thread, and returns after the thread has ended.
    func stop() {
        guard let thread else { return }
        mailbox.stop()
        thread.join()
        self.thread = nil
    }

    /// The body of the stream loop's thread, which handles events until the loop is stopped.
    private func run() {
        // The pointer to the epoll events must not be optional, because glibc declares the parameter of `epoll_wait` as non-null from version 2.38
        // on.
        let capacity = 512
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }
        while true {
            let count = epoll_wait(epoll, events, Int32(capacity), timeout)
            now = MonotonicClock().now.seconds
            for index in 0..<max(0, Int(count)) { handle(events[index]) }
            let content = mailbox.collect()
            for arrival in content.arrivals { adopt(arrival) }
            guard !content.stop else { break }
            feed(content)
            sweepIfDue()
            closed.removeAll(keepingCapacity: true)
        }
        for socket in sockets { socket.close() }
        sockets = []
        closed = []
    }
}

// MARK: - Adding and removing sockets

extension StreamLoop {
    private func adopt(_ arrival: LoopMailbox.Arrival) {
        let descriptor = arrival.descriptor
        // Send the bytes that the kernel still holds back because it waits for more (`TCP_CORK`). From now on send each event at once
        // (`TCP_NODELAY`).
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, 0)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        switch arrival.purpose {
        case .events(let stream, let head):
            // Keep the kernel's buffer of the socket small. If a client is slow, its stream replaces the waiting events by a newer one. Events that
            // are already in the kernel's buffer could not be replaced any more.
            setOption(descriptor, SOL_SOCKET, SO_SNDBUF, 64 << 10)
            setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(max(1, min(1e6, limits.stalledStream)) * 1000))
            let waker = StreamWaker(mailbox)
            let conversation = stream as? any DuplexStream
            let purpose = conversation.map { StreamSocket.Purpose.conversation($0, waker) } ?? .events(stream, waker)
            let socket = StreamSocket(descriptor: descriptor, purpose: purpose, pass: arrival.pass, now: now)
            waker.position.store(sockets.count, ordering: .relaxed)
            // The socket's events are edge-triggered and cover input and output, so that no further system call is needed when the client blocks and
            // continues.
            guard insert(socket, events: EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue) else { return }
            stream.open(wake: { waker.wake() })
            switch head.withUnsafeBytes({ socket.send($0, now: now) }) {
            case .gone: remove(socket)
            case .blocked: blocked += 1
            case .sent: feed(socket)
            }
        case .farewell(let bytes):
            let socket = StreamSocket(descriptor: descriptor, purpose: .farewell, pass: arrival.pass, now: now)
            farewells += 1
            guard insert(socket, events: EPOLLIN.rawValue) else { return }
            // A last answer of a few hundred bytes fits into the socket's buffer. If the client has not read earlier answers, its last answer may be
            // lost.
            if case .gone = bytes.withUnsafeBytes({ socket.send($0, now: now) }) { return remove(socket) }
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    private func insert(_ socket: StreamSocket, events: UInt32) -> Bool {
        socket.move(to: sockets.count)
        sockets.append(socket)
        var interest = epoll_event()
        interest.events = events
        interest.data.ptr = Unmanaged.passUnretained(socket).toOpaque()
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, socket.descriptor, &interest) == 0 else {
            remove(socket)
            return false
        }
        return true
    }

    private func handle(_ event: epoll_event) {
        guard let pointer = event.data.ptr else { return mailbox.acknowledge() }
        let socket = Unmanaged<StreamSocket>.fromOpaque(pointer).takeUnretainedValue()
        guard socket.position >= 0 else { return }
        switch socket.purpose {
        case .events:
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue | EPOLLRDHUP.rawValue) != 0 { return remove(socket) }
            if event.events & EPOLLIN.rawValue != 0, !socket.dropInput(scratch) { return remove(socket) }
            if event.events & EPOLLOUT.rawValue != 0, socket.isBlocked { feed(socket) }
        case .conversation:
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return remove(socket) }
            // The end of the client's output arrives after the client's last bytes, so read those bytes first.
            if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { socket.noteInput() }
            if socket.hasInput || socket.isBlocked { feed(socket) }
        case .farewell:
            // The event of a farewell is level-triggered: it repeats until all input is read. The discarded input is limited in bytes here, and in
            // time by `sweepIfDue`.
            guard event.events & EPOLLIN.rawValue != 0, socket.dropInput(scratch), socket.dropped < 64 << 20 else { return remove(socket) }
        }
    }

    private func remove(_ socket: StreamSocket) {
        let position = socket.position
        guard position >= 0 else { return }
        if case .farewell = socket.purpose { farewells -= 1 } else if socket.isBlocked { blocked -= 1 }
        let last = sockets.removeLast()
        if last !== socket {
            sockets[position] = last
            last.move(to: position)
            last.stream?.waker.position.store(position, ordering: .relaxed)
        }
        socket.move(to: -1)
        closed.append(socket)
        // Remove the descriptor from the epoll set before it is closed. Otherwise the epoll set would still report events for the closed descriptor,
        // because libmicrohttpd may have another descriptor of the same socket.
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, nil)
        // The shutdown makes libmicrohttpd close its own descriptor of the socket, if it still has one (`Connection.refuseForLibrary`).
        if case .farewell = socket.purpose { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
        socket.close()
    }

    private func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

// MARK: - Sending events

extension StreamLoop {
    private func feed(_ content: LoopMailbox.Content) {
        let again = unfinished
        unfinished = []
        for waker in content.woken { waker.lower() }
        if content.everyone {
            // Serve the sockets in reverse order. If a socket is removed, the last socket of the list takes its place; in reverse order it has
            // already been served.
            for position in sockets.indices.reversed() { feed(sockets[position]) }
        } else {
            for waker in content.woken { feed(waker) }
            for waker in again { feed(waker) }
        }
    }

    private func feed(_ waker: StreamWaker) {
        let position = waker.position.load(ordering: .relaxed)
        if position >= 0 { feed(sockets[position]) }
    }

    /// Reads the data that the client has sent, and sends the available data of the event stream, as much as the client accepts.
    private func feed(_ socket: StreamSocket) {
        guard let (stream, waker) = socket.stream else { return }
        let wasBlocked = socket.isBlocked
        defer { blocked += (socket.isBlocked ? 1 : 0) - (wasBlocked ? 1 : 0) }
        // A stream with much data may fill the buffer up to eight times; after that, the other streams are served first.
        for _ in 0..<8 {
            if socket.hasInput, case .conversation(let conversation, _) = socket.purpose {
                guard listen(to: socket, conversation) else { return remove(socket) }
            }
            switch socket.sendPending(now: now) {
            case .gone: return remove(socket)
            case .blocked: return
            case .sent: break
            }
            let (filled, isDrained) = socket.isOver ? (0, true) : read(stream, for: socket)
            if filled > 0 {
                switch socket.send(UnsafeRawBufferPointer(rebasing: scratch[..<filled]), now: now) {
                case .gone: return remove(socket)
                case .blocked: return
                case .sent: break
                }
            }
            if socket.isOver { return end(socket) }
            if isDrained, !mayListen(to: socket) { return }
        }
        unfinished.append(waker)
    }

    private func mayListen(to socket: StreamSocket) -> Bool {
        guard socket.hasInput, case .conversation(let conversation, _) = socket.purpose else { return false }
        return conversation.wantsInput
    }

    /// Passes the client's bytes to the conversation (the byte stream of a WebSocket), if the conversation accepts them. Returns false if the client
    /// of the WebSocket has disconnected.
    private func listen(to socket: StreamSocket, _ conversation: any DuplexStream) -> Bool {
        guard conversation.wantsInput else { return true }
        guard let bytes = socket.receive(into: scratch) else { return false }
        if !bytes.isEmpty { conversation.receive(bytes) }
        return true
    }

    /// Ends an event stream that has no more data to send to its client.
    private func end(_ socket: StreamSocket) {
        guard case .conversation = socket.purpose else { return remove(socket) }
        socket.startLingeringClose(now: now)
        farewells += 1
        // The socket now only discards input. Its events become level-triggered, so that bytes that have already arrived are reported too.
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        interest.data.ptr = Unmanaged.passUnretained(socket).toOpaque()
        if epoll_ctl(epoll, EPOLL_CTL_MOD, socket.descriptor, &interest) != 0 { remove(socket) }
    }

    /// Fills the stream loop's buffer with bytes from an event stream, so that many events are sent in one packet.
    private func read(_ stream: any EventStream, for socket: StreamSocket) -> (filled: Int, isDrained: Bool) {
        var filled = 0
        while scratch.count - filled >= 4096 {
            let free = UnsafeMutableRawBufferPointer(rebasing: scratch[filled...])
            guard let count = stream.read(into: free) else {
                socket.noteEndOfStream()
                return (filled, true)
            }
            guard count > 0 else { return (filled, true) }
            filled += min(count, free.count)
        }
        return (filled, false)
    }
}

// MARK: - Time

extension StreamLoop {
    /// The time limit of the stream loop's next `epoll_wait`, in milliseconds. The limit is 0 if streams have more data to send, and -1 (no limit) if
    /// no connection can become overdue. If a connection could become overdue, the limit is the time until the next sweep (search for overdue
    /// connections).
    private var timeout: Int32 {
        guard unfinished.isEmpty else { return 0 }
        guard farewells > 0 || blocked > 0 || connections.isWatching else { return -1 }
        return Int32(clamping: Int((max(0, nextSweep - MonotonicClock().now.seconds) * 1000).rounded(.up)))
    }

    private func sweepIfDue() {
        guard now >= nextSweep, farewells > 0 || blocked > 0 || connections.isWatching else { return }
        nextSweep = now + limits.sweepInterval
        connections.sweep()
        deferred.dropAbandoned()
        guard farewells > 0 || blocked > 0 else { return }
        for position in sockets.indices.reversed() {
            let socket = sockets[position]
            switch socket.purpose {
            case .events, .conversation: if socket.isBlocked, now - socket.waitingSince > limits.stalledStream { remove(socket) }
            case .farewell: if now - socket.waitingSince > limits.farewell { remove(socket) }
            }
        }
    }
}
