import CLinux
import Glibc
import RemoteControl
import Synchronization

/// The thread that feeds every event stream and every WebSocket: one epoll set, one socket for each client, no buffer for a client that waits.
///
/// libmicrohttpd reads the request and sends the head of the answer; then the socket comes here. The library's own way, to suspend the connection and
/// to resume it for each event, keeps the connection's memory, does not notice that the client has left, walks the whole list of suspended
/// connections at each resumption, and keeps other requests waiting while ten thousand clients are served.
///
/// `@unchecked Sendable`: all that is private belongs to the loop's own thread, from `start` until `stop` has returned; the mailbox guards itself.
final class StreamLoop: @unchecked Sendable {
    /// In seconds.
    struct Limits {
        var stalledStream: Double
        var farewell = 2.0
        /// How often the overdue are looked for while somebody could become so.
        var sweepInterval: Double
    }

    let mailbox: LoopMailbox
    private let connections: ConnectionTable
    private let deferred: DeferredAnswers
    private let limits: Limits
    private let epoll: Int32
    private var thread: pthread_t?

    private var sockets: [StreamSocket] = []
    /// Sockets that were closed in this round: an event of the same round may still name them.
    private var closed: [StreamSocket] = []
    /// Streams that had more to say than one turn allows.
    private var unfinished: [StreamWaker] = []
    /// How many sockets are blocked, how many say farewell: only these can become overdue.
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

    /// - Throws: `ServerError.system` where no thread can be had.
    func start() throws(ServerError) {
        var created = pthread_t()
        let retained = Unmanaged.passRetained(self)
        let code = pthread_create(&created, nil, streamLoopMain, retained.toOpaque())
        guard code == 0 else {
            retained.release()
            throw .system(operation: "pthread_create", code: code)
        }
        thread = created
    }

    /// Closes every stream and ends the thread; returns when it has ended.
    func stop() {
        guard let thread else { return }
        mailbox.stop()
        pthread_join(thread, nil)
        self.thread = nil
    }

    /// The body of the thread.
    func run() {
        // A pointer that is never nil: glibc declares it so for `epoll_wait` from 2.38 on.
        let capacity = 512
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }
        while true {
            let count = epoll_wait(epoll, events, Int32(capacity), timeout)
            now = Self.monotonicSeconds()
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

// MARK: - Sockets come and go

extension StreamLoop {
    private func adopt(_ arrival: LoopMailbox.Arrival) {
        let descriptor = arrival.descriptor
        // What libmicrohttpd has held back for more to come leaves now, and an event leaves at once.
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, 0)
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        switch arrival.purpose {
        case .events(let stream, let head):
            // What a client does not take is to be coalesced by its stream, not to be stored in the kernel by the megabyte.
            setOption(descriptor, SOL_SOCKET, SO_SNDBUF, 64 << 10)
            setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(max(1, min(1e6, limits.stalledStream)) * 1000))
            let waker = StreamWaker(mailbox)
            let conversation = stream as? any DuplexStream
            let purpose = conversation.map { StreamSocket.Purpose.conversation($0, waker) } ?? .events(stream, waker)
            let socket = StreamSocket(descriptor: descriptor, purpose: purpose, pass: arrival.pass, now: now)
            waker.position.store(sockets.count, ordering: .relaxed)
            // Edge-triggered and for everything from the start: no further call for a client that blocks and goes on.
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
            // A problem of a few hundred bytes fits into the socket's buffer, unless the client has not read the answers before: then it has no
            // claim.
            if case .gone = bytes.withUnsafeBytes({ socket.send($0, now: now) }) { return remove(socket) }
            shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    private func insert(_ socket: StreamSocket, events: UInt32) -> Bool {
        socket.position = sockets.count
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
            // The end of what it sends comes behind the last of it.
            if event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { socket.hasInput = true }
            if socket.hasInput || socket.isBlocked { feed(socket) }
        case .farewell:
            // Level-triggered: it comes again until everything is read. Bounded in bytes as it is in time.
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
            last.position = position
            last.stream?.waker.position.store(position, ordering: .relaxed)
        }
        socket.position = -1
        closed.append(socket)
        // To close it would not be enough: as long as libmicrohttpd has not closed its own descriptor of the socket, the set would go on naming ours.
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket.descriptor, nil)
        socket.close()
    }

    private func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

// MARK: - Events go out

extension StreamLoop {
    private func feed(_ content: LoopMailbox.Content) {
        let again = unfinished
        unfinished = []
        for waker in content.woken { waker.lower() }
        if content.everyone {
            // From the end: a socket that is removed leaves its place to the last one, which has had its turn.
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

    /// Takes what one client has said, and sends it what there is for it, as far as it takes it.
    private func feed(_ socket: StreamSocket) {
        guard let (stream, waker) = socket.stream else { return }
        let wasBlocked = socket.isBlocked
        defer { blocked += (socket.isBlocked ? 1 : 0) - (wasBlocked ? 1 : 0) }
        // Several rounds where there is much to say, and then it is the others' turn.
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

    /// Hands over what a client has said, as far as the conversation wants it. False where the client has left.
    private func listen(to socket: StreamSocket, _ conversation: any DuplexStream) -> Bool {
        guard conversation.wantsInput else { return true }
        guard let bytes = socket.receive(into: scratch) else { return false }
        if !bytes.isEmpty { conversation.receive(bytes) }
        return true
    }

    /// The stream has said its last word.
    private func end(_ socket: StreamSocket) {
        guard case .conversation = socket.purpose else { return remove(socket) }
        socket.bidFarewell(now: now)
        farewells += 1
        // Level-triggered from here on: what is there already counts.
        var interest = epoll_event()
        interest.events = EPOLLIN.rawValue
        interest.data.ptr = Unmanaged.passUnretained(socket).toOpaque()
        if epoll_ctl(epoll, EPOLL_CTL_MOD, socket.descriptor, &interest) != 0 { remove(socket) }
    }

    /// Fills the buffer from the stream: many events leave in one packet.
    private func read(_ stream: any EventStream, for socket: StreamSocket) -> (filled: Int, isDrained: Bool) {
        var filled = 0
        while scratch.count - filled >= 4096 {
            let room = UnsafeMutableRawBufferPointer(rebasing: scratch[filled...])
            guard let count = stream.read(into: room) else {
                socket.isOver = true
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
    /// How long to wait, in milliseconds; for ever where nobody can become overdue.
    private var timeout: Int32 {
        guard unfinished.isEmpty else { return 0 }
        guard farewells > 0 || blocked > 0 || connections.isWatching else { return -1 }
        return Int32(clamping: Int((max(0, nextSweep - Self.monotonicSeconds()) * 1000).rounded(.up)))
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

    private static func monotonicSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
