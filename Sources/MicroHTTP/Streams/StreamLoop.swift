import CLinux
import Glibc
import Platform
import RemoteControl
import Synchronization

/// The thread that serves every event stream and every WebSocket: one epoll set, one socket for each client, no buffer for idle clients.
///
/// libmicrohttpd reads the request, and then passes its socket to the loop. The library could suspend the connection and resume it for each event.
/// But then it would keep the connection's memory, would not detect that the client disconnected, would walk the whole list of suspended connections
/// at each resumption, and would delay other requests while it serves ten thousand clients.
///
/// `@unchecked Sendable`: all private properties are used only on the loop's own thread, from `start` until `stop` has returned. The mailbox
/// synchronises itself.
final class StreamLoop: @unchecked Sendable {
    /// Time limits, in seconds.
    struct Limits {
        var stalledStream: Double
        var farewell = 2.0
        /// The time between two sweeps for overdue connections, while any connection could become overdue.
        var sweepInterval: Double
    }

    let mailbox: LoopMailbox
    private let connections: ConnectionTable
    private let deferred: DeferredAnswers
    private let limits: Limits
    private let epoll: Int32
    private var thread: WorkerThread?

    private var sockets: [StreamSocket] = []
    /// Sockets closed in this round. Later events of the same round may still refer to them.
    private var closed: [StreamSocket] = []
    /// Streams with more data than one turn permits.
    private var unfinished: [StreamWaker] = []
    /// The numbers of blocked sockets and of farewells. Only these can become overdue.
    private var blocked = 0
    private var farewells = 0
    private var now = 0.0
    private var nextSweep = 0.0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    /// - Throws: `ServerError.system`.
    init(service: HTTPService, limits: Limits) throws(ServerError) {
        connections = service.connections
        deferred = service.deferred
        mailbox = service.mailbox
        self.limits = limits
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(operation: "epoll_create1", code: errno) }
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, mailbox.signalDescriptor, &interest) == 0 else { throw .system(operation: "epoll_ctl", code: errno) }
    }

    deinit {
        if epoll >= 0 { Glibc.close(epoll) }
        scratch.deallocate()
    }

    /// - Throws: `ServerError.system` if no thread is available.
    func start() throws(ServerError) {
        do throws(SystemError) {
            thread = try WorkerThread(starting: "http-events") { self.run() }
        } catch {
            throw .system(operation: error.operation, code: error.code)
        }
    }

    /// Closes every stream and ends the thread; returns when it has ended.
    func stop() {
        guard let thread else { return }
        mailbox.stop()
        thread.join()
        self.thread = nil
    }

    /// The body of the thread.
    private func run() {
        // A pointer that is never nil, because glibc declares it so for `epoll_wait` from 2.38 on.
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
        // Send the bytes that libmicrohttpd held back to combine them with more, and send each event at once.
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, 0)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        switch arrival.purpose {
        case .events(let stream, let head):
            // Keep the kernel's buffer small: data for a slow client must be coalesced by its stream, not stored in the kernel by the megabyte.
            setOption(descriptor, SOL_SOCKET, SO_SNDBUF, 64 << 10)
            setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(max(1, min(1e6, limits.stalledStream)) * 1000))
            let waker = StreamWaker(mailbox)
            let conversation = stream as? any DuplexStream
            let purpose = conversation.map { StreamSocket.Purpose.conversation($0, waker) } ?? .events(stream, waker)
            let socket = StreamSocket(descriptor: descriptor, purpose: purpose, pass: arrival.pass, now: now)
            waker.position.store(sockets.count, ordering: .relaxed)
            // Edge-triggered and for all events, so that a client that blocks and continues needs no further system call.
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
            // A problem of a few hundred bytes fits into the socket's buffer. If the client has not read earlier answers, the problem may be lost.
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
            // The end of the client's output follows its last bytes, so read those first.
            if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { socket.noteInput() }
            if socket.hasInput || socket.isBlocked { feed(socket) }
        case .farewell:
            // Level-triggered: the event repeats until everything is read. The input is limited in bytes as well as in time.
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
        // Closing is not enough: while libmicrohttpd's own descriptor of the socket is open, the set would still report events for this one.
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, nil)
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
            // In reverse, because the last socket replaces a removed one, and it has had its turn.
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

    /// Receives a client's data, and sends the available data, as much as the client accepts.
    private func feed(_ socket: StreamSocket) {
        guard let (stream, waker) = socket.stream else { return }
        let wasBlocked = socket.isBlocked
        defer { blocked += (socket.isBlocked ? 1 : 0) - (wasBlocked ? 1 : 0) }
        // Several rounds if there is much data; then it is the other streams' turn.
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

    /// Passes the client's bytes on, if the conversation wants them. Returns false if the client has disconnected.
    private func listen(to socket: StreamSocket, _ conversation: any DuplexStream) -> Bool {
        guard conversation.wantsInput else { return true }
        guard let bytes = socket.receive(into: scratch) else { return false }
        if !bytes.isEmpty { conversation.receive(bytes) }
        return true
    }

    /// Ends a stream that has no more data.
    private func end(_ socket: StreamSocket) {
        guard case .conversation = socket.purpose else { return remove(socket) }
        socket.startLingeringClose(now: now)
        farewells += 1
        // Level-triggered from here on, so that bytes that have already arrived are reported.
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        interest.data.ptr = Unmanaged.passUnretained(socket).toOpaque()
        if epoll_ctl(epoll, EPOLL_CTL_MOD, socket.descriptor, &interest) != 0 { remove(socket) }
    }

    /// Fills the buffer from the stream, so that many events leave in one packet.
    private func read(_ stream: any EventStream, for socket: StreamSocket) -> (filled: Int, isDrained: Bool) {
        var filled = 0
        while scratch.count - filled >= 4096 {
            let room = UnsafeMutableRawBufferPointer(rebasing: scratch[filled...])
            guard let count = stream.read(into: room) else {
                socket.noteEndOfStream()
                return (filled, true)
            }
            guard count > 0 else { return (filled, true) }
            filled += min(count, room.count)
        }
        return (filled, false)
    }
}

// MARK: - Time

extension StreamLoop {
    /// The timeout of `epoll_wait`, in milliseconds; -1 (none) if no connection can become overdue.
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
