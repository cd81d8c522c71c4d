import CMicroHTTPD
import Glibc
import RemoteControl

/// A client's connection while libmicrohttpd serves it, with its current request. A `Connection` is used only on libmicrohttpd's thread.
final class Connection {
    private enum Phase {
        /// The request line was received, but the request's head (request line and header fields) is not complete.
        case head
        /// The request's head is complete, and the request has no body.
        case bodiless
        /// The request's head was admitted, and its body is being received.
        case body(any AdmittedRequest)
        /// The handler is processing the HTTP request, and will answer it later.
        case deferred(DeferredAnswer)
        case answered
    }

    /// What happens to the client's socket after libmicrohttpd has closed its own descriptor of the socket.
    private enum SocketOutcome {
        /// Not decided yet, because the program has not answered the request. If libmicrohttpd closes the connection now, the program did not ask for
        /// it.
        case unforeseen
        case close
        /// The stream loop sends `head` on the socket, and then the bytes of the event stream.
        case events(any EventStream, head: [UInt8])
        /// The stream loop sends these last bytes on the socket, and discards what the client still sends.
        case farewell([UInt8])
    }

    private let service: HTTPService
    private let peer: HTTPPeer
    private let pass: ConnectionPass
    private let watch: ConnectionWatch

    private var phase = Phase.answered
    private var socketOutcome = SocketOutcome.unforeseen
    /// Whether at least one request line was received on the connection.
    private var hasBegun = false
    private var target: [UInt8] = []
    private var body: [UInt8] = []
    /// The announced length of the HTTP request's body, in bytes.
    private var announced = 0
    /// The memory reserved for the request's body, from the admission of the request until the answer, because the handler retains the body until
    /// then; nil if none is reserved.
    private var received: MemoryReservation?
    /// The memory reserved for an HTTP answer until the client has received the answer; nil if none is reserved.
    private var unread: MemoryReservation?
    /// The client's network (`HTTPPeer.network`). The memory for the connection's requests and answers counts as part of this network's share of the
    /// memory budgets.
    private lazy var network = peer.network

    /// The maximum size of a small HTTP answer, in bytes. Small answers are not counted in the memory budget, because a connection has one answer at
    /// a time and the number of connections is limited.
    private static let smallAnswer = 16 << 10

    init(service: HTTPService, descriptor: Int32, address: SocketAddress) {
        self.service = service
        peer = HTTPPeer(address: address.numericHost, isLoopback: address.key.isLoopback)
        pass = service.connections.enter(address)
        watch = ConnectionWatch(descriptor: descriptor, moment: service.connections.moment)
        if service.connections.watch(watch) { service.mailbox.signal() }
    }

    /// Starts a request with the received bytes of its target (path and query).
    func begin(target bytes: UnsafeRawBufferPointer) {
        target.removeAll(keepingCapacity: true)
        target.append(contentsOf: bytes)
        phase = .head
        hasBegun = true
        socketOutcome = .unforeseen
        watch.enter(.receiving, at: service.connections.moment)
    }

    /// Ends the connection's present request, whether or not it was answered.
    func completed() {
        if case .deferred(let answer) = phase { service.deferred.finish(answer) }
        phase = .answered
        if !body.isEmpty { body = [] }
        (received, unread) = (nil, nil)
        // Release a large buffer of a request's target, so that an idle connection retains no more memory than a usual target needs.
        if target.capacity > 1024 { target = [] }
        watch.enter(.pausing, at: service.connections.moment)
    }

    /// Decides what happens to the socket; called before libmicrohttpd closes it. Passes a duplicate of the socket to the stream loop if the
    /// connection must stay open: for events, for an answer that the program sends itself, or to discard bytes that the client has sent and that were
    /// not read.
    func closed() {
        service.connections.forget(watch)
        switch socketOutcome {
        case .unforeseen where isUnanswered:
            let reason = hasBegun ? HTTPRefusalReason.incomplete : .requestLine
            handOver(.farewell(service.handler.problem(for: reason.refusal).lastBytes))
        case .unforeseen, .close:
            // If the client's bytes remained unread, closing the socket would reset the connection, and the reset could arrive before the answer.
            var unread: Int32 = 0
            if ioctl(watch.descriptor, UInt(FIONREAD), &unread) == 0, unread > 0 { handOver(.farewell([])) }
        case .events(let stream, let head):
            if !handOver(.events(stream, head: head)) { stream.close() }
        case .farewell(let bytes):
            handOver(.farewell(bytes))
        }
    }

    /// Whether libmicrohttpd closes the connection without an answer although the client has sent something.
    ///
    /// libmicrohttpd never answers an incomplete request; it closes the connection. From version 1.0 on libmicrohttpd also closes the connection
    /// after most malformed request lines (a NUL, a bare LF, leading white space, several empty lines before the request line). The kernel's counters
    /// of the connection show whether libmicrohttpd has sent an answer of its own.
    private var isUnanswered: Bool {
        guard !service.isStopping, let traffic = SocketTraffic(of: watch.descriptor) else { return false }
        return traffic.isWritable && traffic.bytesReceived > 0 && !traffic.hasSent
    }

    /// Passes a duplicate of the socket's descriptor to the stream loop. After that, libmicrohttpd closes its own descriptor, but does not shut the
    /// connection down, because of `MHD_USE_TURBO`. Returns false, with nothing passed, if the descriptor cannot be duplicated.
    @discardableResult
    private func handOver(_ purpose: LoopMailbox.Arrival.Purpose) -> Bool {
        let copy = fcntl(watch.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return false }
        service.mailbox.hand(over: LoopMailbox.Arrival(descriptor: copy, pass: pass, purpose: purpose))
        return true
    }
}

// MARK: - One request

extension Connection {
    /// The arguments of one call of libmicrohttpd (`answerRequest`) for a request.
    struct Call {
        let connection: OpaquePointer
        let method: UnsafePointer<CChar>
        let version: UnsafePointer<CChar>
        /// The part of the request's body that libmicrohttpd passes in this call. It is empty in libmicrohttpd's first call for a request, directly
        /// after the head, and in the last one.
        let upload: UnsafeRawBufferPointer

        /// Whether the request's method is GET or HEAD, so that the request changes nothing.
        var isRead: Bool { strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 }
    }

    /// Performs the next step of the connection's present request. If the result of a step is `MHD_NO`, libmicrohttpd closes the connection.
    func proceed(_ call: Call) -> MHD_Result {
        switch phase {
        case .head:
            // A request without a body is answered in libmicrohttpd's last call for the request. After an answer in the first call, libmicrohttpd
            // would close the connection.
            guard Self.announcesBody(call.connection) else {
                phase = .bodiless
                return .YES
            }
            return target.withUnsafeBytes { judge(call, target: $0) }
        case .bodiless:
            return target.withUnsafeBytes { answer(call, target: $0) }
        case .body(let request):
            return call.upload.isEmpty ? respond(to: request, on: call) : take(call.upload, on: call)
        case .deferred(let answer):
            return settle(answer, on: call)
        case .answered:
            return .NO
        }
    }

    private static func announcesBody(_ connection: OpaquePointer) -> Bool {
        let length: StaticString = "Content-Length"
        let coding: StaticString = "Transfer-Encoding"
        return has(length, connection) || has(coding, connection)
    }

    /// Whether the request that libmicrohttpd reads on a connection has a header field called `name`.
    private static func has(_ name: StaticString, _ connection: OpaquePointer) -> Bool {
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount) {
            MHD_lookup_connection_value_n(connection, .HEADER_KIND, $0, name.utf8CodeUnitCount, nil, nil) == .YES
        }
    }

    /// Accepts or refuses an HTTP request whose body has not been received.
    private func judge(_ call: Call, target: UnsafeRawBufferPointer) -> MHD_Result {
        let head: HTTPRequest
        switch service.reader.read(call.connection, method: call.method, version: call.version, target: target, peer: peer) {
        case .success(let read): head = read
        case .failure(let reason): return refuse(reason, on: call)
        }
        let length = service.reader.contentLength
        if length == 0 {
            phase = .bodiless
            return .YES
        }
        if length > service.maximumBodySize { return refuse(.bodySize(limit: service.maximumBodySize), on: call) }
        let request: any AdmittedRequest
        switch service.handler.admit(head, contentLength: length) {
        case .admitted(let admitted): request = admitted
        case .refused(let response): return send(response, on: call, isLast: true)
        }
        // The body is refused if the budget does not permit its announced length now. But the length is only the client's claim. So at most 4 KiB are
        // reserved at first, and more memory as the bytes arrive.
        guard service.received.fits(length, for: network), let memory = service.received.reserve(min(length, 4096), for: network) else {
            return refuse(.noRoomForBody, on: call)
        }
        (received, announced) = (memory, length)
        body.reserveCapacity(memory.size)
        phase = .body(request)
        return .YES
    }

    /// Reserves memory for a part of the request's body and appends the part. If the memory budget for bodies is used up, refuses the request and
    /// closes the connection.
    private func take(_ part: UnsafeRawBufferPointer, on call: Call) -> MHD_Result {
        let needed = body.count + part.count
        if let received, needed > received.size {
            let wanted = max(needed, min(2 * received.size, announced))
            guard received.grow(to: wanted) || received.grow(to: needed) else {
                (body, self.received) = ([], nil)
                // libmicrohttpd accepts no answer while the request's body is incomplete, so the stream loop sends the refusal.
                return leave(.farewell(service.handler.problem(for: HTTPRefusalReason.noRoomForBody.refusal).lastBytes))
            }
            body.reserveCapacity(received.size)
        }
        body.append(contentsOf: part)
        return .YES
    }

    /// Answers an HTTP request that has no body.
    private func answer(_ call: Call, target: UnsafeRawBufferPointer) -> MHD_Result {
        switch service.reader.read(call.connection, method: call.method, version: call.version, target: target, peer: peer) {
        case .success(let request):
            switch service.handler.admit(request, contentLength: 0) {
            case .admitted(let admitted): return respond(to: admitted, on: call)
            case .refused(let response): return send(response, on: call)
            }
        case .failure(let reason):
            return refuse(reason, on: call)
        }
    }

    private func respond(to request: any AdmittedRequest, on call: Call) -> MHD_Result {
        let complete = body
        body = []
        let answer = DeferredAnswer(call.connection, descriptor: watch.descriptor, desk: service.deferred)
        guard let response = request.respond(body: complete, completion: answer.completion()) else {
            phase = .deferred(answer)
            return settle(answer, on: call)
        }
        service.deferred.finish(answer)
        return send(response, on: call)
    }

    private func settle(_ answer: DeferredAnswer, on call: Call) -> MHD_Result {
        switch service.deferred.settle(answer) {
        case .answer(let response):
            return send(response, on: call)
        case .wait:
            watch.enter(.thinking, at: service.connections.moment)
            return .YES
        case .drop:
            return leave(.close)
        }
    }

    private func refuse(_ reason: HTTPRefusalReason, on call: Call) -> MHD_Result {
        send(service.handler.problem(for: reason.refusal), on: call, isLast: true)
    }

    /// Replaces libmicrohttpd's own answer, a status with a line of HTML, to a request that libmicrohttpd cannot read. The stream loop sends the
    /// problem document for the status, and libmicrohttpd closes the connection without an answer. Returns false if libmicrohttpd's own answer is to
    /// be sent.
    func refuseForLibrary(status: Int) -> Bool {
        let reason = HTTPRefusalReason(status: status, maximumBodySize: service.maximumBodySize, maximumHeadSize: service.maximumHeadSize)
        guard let reason else { return false }
        // The socket is passed to the stream loop here and not in `closed`. After some errors libmicrohttpd closes the connection only at the next
        // event of the socket, and this event is the shutdown by the stream loop at the end of the farewell.
        guard handOver(.farewell(service.handler.problem(for: reason.refusal).lastBytes)) else { return false }
        _ = leave(.close)
        return true
    }

    private func send(_ response: HTTPResponse, on call: Call, isLast: Bool = false) -> MHD_Result {
        phase = .answered
        watch.enter(.sending, at: service.connections.moment)
        switch response.body {
        case .bytes(let bytes):
            received = nil
            if bytes.count > Self.smallAnswer {
                // The answer to a request that may have changed something (not GET or HEAD) is sent even if the memory budget is used up, because a
                // refusal would report the change as failed.
                unread = service.unread.hold(bytes, for: network, isForced: !call.isRead)
                if unread == nil { return send(service.handler.problem(for: HTTPRefusalReason.noRoomForAnswer.refusal), on: call, isLast: isLast) }
            }
            socketOutcome = isLast ? .farewell([]) : .close
            return Answer(status: response.status, headers: response.headers, body: bytes, isLast: isLast)?.queue(on: call.connection) ?? .NO
        case .events(let stream):
            guard strcmp(call.method, "HEAD") != 0 else {
                stream.close()
                return leave(.farewell(response.streamHead))
            }
            return leave(.events(stream, head: response.streamHead))
        }
    }

    /// Makes libmicrohttpd close the connection at once. The socket is then treated as `next` states.
    private func leave(_ next: SocketOutcome) -> MHD_Result {
        phase = .answered
        socketOutcome = next
        service.suppressNextMessage()
        return .NO
    }
}
