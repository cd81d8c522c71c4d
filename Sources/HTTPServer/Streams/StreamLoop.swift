import CLinux
import Glibc
import Platform
import RemoteControl
import Synchronization

/// The thread that serves every event stream and WebSocket, with one epoll set, and without a buffer for idle clients.
///
/// libmicrohttpd reads the request, and passes the socket to the loop. A suspended connection in libmicrohttpd would keep its memory, would not
/// detect that the client disconnected, and each resumption would search the whole list, which delays other requests with ten thousand clients.
///
/// `@unchecked Sendable`: all private properties are used only on the loop's thread, from `start` until `stop` has returned.
final class StreamLoop: @unchecked Sendable {
    /// Time limits, in seconds.
    struct Limits {
        var stalledStream: Double
        var farewell: Double
        /// The time between two sweeps, which take place only while a connection could become overdue.
        var sweepInterval: Double
    }

    let mailbox: LoopMailbox
    private let connections: ConnectionTable
    private let deferred: DeferredAnswers
    private let limits: Limits
    private let epoll: Int32
    private var thread: WorkerThread?

    private var sockets: [StreamSocket] = []
    /// The sockets that were closed in this round. They are retained to the end of the round, because later events may refer to them.
    private var closed: [StreamSocket] = []
    /// The wakers of streams with more data than they may send in one round.
    private var unfinished: [StreamWaker] = []
    /// The number of sockets whose client accepts no more bytes, and the number of farewells: only these sockets can become overdue.
    private var blocked = 0
    private var farewells = 0
    private var now = 0.0
    private var nextSweep = 0.0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    /// Creates the loop without its thread. Throws if the system has no descriptor.
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

    /// Starts the thread. Throws if the system has no thread.
    func start() throws(ServerError) {
        do throws(SystemError) {
            thread = try WorkerThread(starting: "http-events") { self.run() }
        } catch {
            throw .system(error)
        }
    }

    /// Stops the loop, and returns after the thread has ended.
    func stop() {
        guard let thread else { return }
        mailbox.stop()
        thread.join()
        self.thread = nil
    }

    private func run() {
        // The pointer is not optional, because from 2.38 on glibc declares it non-null.
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
            serve(content)
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
        // The kernel sends the bytes that it still keeps back, and from now on each event at once.
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, 0)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        switch arrival.purpose {
        case .events(let stream, let head):
            // The kernel's buffer is small, because newer events replace those that wait for a slow client, except in the kernel.
            setOption(descriptor, SOL_SOCKET, SO_SNDBUF, 64 << 10)
            setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(max(1, min(1e6, limits.stalledStream)) * 1000))
            let waker = StreamWaker(mailbox)
            let conversation = stream as? any DuplexStream
            let purpose = conversation.map { StreamSocket.Purpose.conversation($0, waker) } ?? .events(stream, waker)
            let socket = StreamSocket(descriptor: descriptor, purpose: purpose, pass: arrival.pass, now: now)
            waker.position.store(sockets.count, ordering: .relaxed)
            // The events are edge-triggered for input and output, so that no system call is needed when the client blocks and continues.
            guard insert(socket, events: EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue) else { return }
            stream.open(wake: { waker.wake() })
            switch head.withUnsafeBytes({ socket.send($0, now: now) }) {
            case .gone: remove(socket)
            case .blocked: blocked += 1
            case .sent: serve(socket)
            }
        case .farewell(let bytes):
            let socket = StreamSocket(descriptor: descriptor, purpose: .farewell, pass: arrival.pass, now: now)
            farewells += 1
            guard insert(socket, events: EPOLLIN.rawValue) else { return }
            // A few hundred bytes fit into the kernel's buffer, unless the client has not read earlier answers.
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
            if event.events & EPOLLOUT.rawValue != 0, socket.isBlocked { serve(socket) }
        case .conversation:
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return remove(socket) }
            // If the client has ended its output, the input before the end is still read.
            if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { socket.noteInput() }
            if socket.hasInput || socket.isBlocked { serve(socket) }
        case .farewell:
            // The events are level-triggered until all input is read. The input is limited in bytes here, and in time by `sweepIfDue`.
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
        // Without this call, events would continue after the close, because libmicrohttpd may have another descriptor of the socket.
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
    private func serve(_ content: LoopMailbox.Content) {
        let again = unfinished
        unfinished = []
        for waker in content.woken { waker.lower() }
        if content.everyone {
            // The order is backwards, because the last socket takes the place of a removed one.
            for position in sockets.indices.reversed() { serve(sockets[position]) }
        } else {
            for waker in content.woken { serve(waker) }
            for waker in again { serve(waker) }
        }
    }

    private func serve(_ waker: StreamWaker) {
        let position = waker.position.load(ordering: .relaxed)
        if position >= 0 { serve(sockets[position]) }
    }

    /// Sends as many bytes of the stream as the client accepts. In a conversation (WebSocket), reads the client's bytes before.
    private func serve(_ socket: StreamSocket) {
        guard let (stream, waker) = socket.stream else { return }
        let wasBlocked = socket.isBlocked
        defer { blocked += (socket.isBlocked ? 1 : 0) - (wasBlocked ? 1 : 0) }
        // A stream sends up to eight times, then the other streams send.
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

    /// Passes received bytes to the conversation (WebSocket) if it accepts them. Returns false if the client has disconnected.
    private func listen(to socket: StreamSocket, _ conversation: any DuplexStream) -> Bool {
        guard conversation.wantsInput else { return true }
        guard let bytes = socket.receive(into: scratch) else { return false }
        if !bytes.isEmpty { conversation.receive(bytes) }
        return true
    }

    private func end(_ socket: StreamSocket) {
        guard case .conversation = socket.purpose else { return remove(socket) }
        socket.startLingeringClose(now: now)
        farewells += 1
        // The event is level-triggered, so that bytes that have already arrived are reported too.
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        interest.data.ptr = Unmanaged.passUnretained(socket).toOpaque()
        if epoll_ctl(epoll, EPOLL_CTL_MOD, socket.descriptor, &interest) != 0 { remove(socket) }
    }

    /// Fills `scratch` from the stream, so that many events are sent in one packet. `isDrained`: the stream has no more bytes now.
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
    /// The limit of `epoll_wait`, in milliseconds: 0 if streams have more data, until the next sweep if one could become overdue, otherwise -1.
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
