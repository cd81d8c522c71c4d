import CMicroHTTPD
import Glibc
import RemoteControl

/// A connection while libmicrohttpd serves it, and its request. For the library's thread alone.
final class Connection {
    private enum Phase {
        /// The request line has come; the head is about to be complete.
        case head
        /// The head is complete, and there is no body.
        case bodiless
        case body(HTTPRequest)
        /// The handler has the request.
        case deferred(DeferredAnswer)
        case answered
    }

    /// What becomes of the socket when the library is through with it.
    private enum Sequel {
        /// The library decides: the request has no answer of ours so far.
        case unforeseen
        case close
        /// This head, and then the stream.
        case events(any EventStream, head: [UInt8])
        /// These bytes, and then nothing, however much the client has still to say.
        case farewell([UInt8])
    }

    private let service: HTTPService
    private let peer: HTTPPeer
    private let pass: ConnectionPass
    private let watch: ConnectionWatch

    private var phase = Phase.answered
    private var sequel = Sequel.unforeseen
    /// Whether a request line has been read on this connection.
    private var hasBegun = false
    private var target: [UInt8] = []
    private var body: [UInt8] = []
    /// How long the body is said to be, bytes.
    private var announced = 0
    /// The memory of the request's body, from its first byte until the request is answered: a handler keeps the body that long.
    private var received: MemoryReservation?
    /// The memory of an answer until the client has taken it.
    private var unread: MemoryReservation?
    /// Whose share of the memory it is.
    private lazy var network = peer.network

    /// Answers of up to this size, bytes, are always given: a connection holds one, and connections are limited.
    private static let smallAnswer = 16 << 10

    init(service: HTTPService, descriptor: Int32, address: SocketAddress) {
        self.service = service
        let key = address.key
        peer = HTTPPeer(address: address.numericHost, isLoopback: key.isLoopback)
        pass = service.connections.enter(key)
        watch = ConnectionWatch(descriptor: descriptor, moment: service.connections.moment)
        if service.connections.watch(watch) { service.mailbox.signal() }
    }

    /// A request begins: its target, as it came.
    func begin(target bytes: UnsafeRawBufferPointer) {
        target.removeAll(keepingCapacity: true)
        target.append(contentsOf: bytes)
        phase = .head
        hasBegun = true
        sequel = .unforeseen
        watch.enter(.receiving, at: service.connections.moment)
    }

    /// The request is over, answered or not.
    func completed() {
        if case .deferred(let answer) = phase { service.deferred.finish(answer) }
        phase = .answered
        if !body.isEmpty { body = [] }
        (received, unread) = (nil, nil)
        // An idle connection keeps no more than a usual target.
        if target.capacity > 1024 { target = [] }
        watch.enter(.pausing, at: service.connections.moment)
    }

    /// The library is about to close the socket.
    func closed() {
        service.connections.forget(watch)
        switch sequel {
        case .unforeseen where isUnanswered:
            let reason = hasBegun ? HTTPRefusalReason.incomplete : .requestLine
            handOver(.farewell(service.handler.problem(for: reason.refusal).lastBytes))
        case .unforeseen, .close:
            // Bytes that nobody read would turn the close into a reset, which may overtake the answer.
            var unread: Int32 = 0
            if ioctl(watch.descriptor, UInt(FIONREAD), &unread) == 0, unread > 0 { handOver(.farewell([])) }
        case .events(let stream, let head):
            if !handOver(.events(stream, head: head)) { stream.close() }
        case .farewell(let bytes):
            handOver(.farewell(bytes))
        }
    }

    /// Whether the library closes the connection of a client that has sent something and got no answer on this connection.
    ///
    /// It answers an incomplete request only by closing, and from 1.0 on most malformed request lines too (a NUL, a bare LF, white space in front, several
    /// empty lines before it). The kernel's counters show whether the library has sent an answer of its own.
    private var isUnanswered: Bool {
        guard !service.isStopping, let traffic = SocketTraffic(of: watch.descriptor) else { return false }
        return traffic.isWritable && traffic.bytesReceived > 0 && !traffic.hasSent
    }

    /// Keeps the socket open beyond the library: with `MHD_USE_TURBO` it closes its descriptor and does not shut the connection down.
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
    /// What the library tells at each of its calls for a request.
    struct Call {
        let connection: OpaquePointer
        let method: UnsafePointer<CChar>
        let version: UnsafePointer<CChar>
        /// A part of the body; empty at the first call, when the head is complete, and at the last.
        let upload: UnsafeRawBufferPointer

        /// Whether the request changes nothing.
        var isRead: Bool { strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 }
    }

    /// Takes the request one step further. `MHD_NO` closes the connection.
    func proceed(_ call: Call) -> MHD_Result {
        switch phase {
        case .head:
            // An answer to the first call closes the connection: a request without body is answered at the last.
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

    private static func has(_ name: StaticString, _ connection: OpaquePointer) -> Bool {
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount) {
            MHD_lookup_connection_value_n(connection, .HEADER_KIND, $0, name.utf8CodeUnitCount, nil, nil) == .YES
        }
    }

    /// Decides about a request whose body is still to come.
    private func judge(_ call: Call, target: UnsafeRawBufferPointer) -> MHD_Result {
        let head: HTTPRequestHead
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
        let request = HTTPRequest(head)
        if let response = service.handler.precheck(request, contentLength: length) { return send(response, on: call, isLast: true) }
        // The announced length decides whether the body is welcome, but is only a claim: memory is counted as the body arrives.
        guard service.received.fits(length, for: network), let memory = service.received.reserve(min(length, 4096), for: network) else {
            return refuse(.noRoomForBody, on: call)
        }
        (received, announced) = (memory, length)
        body.reserveCapacity(memory.size)
        phase = .body(request)
        return .YES
    }

    /// Takes a part of a body. Its memory is counted before it is used; where others have used it up meanwhile, the connection ends with the refusal.
    private func take(_ part: UnsafeRawBufferPointer, on call: Call) -> MHD_Result {
        let needed = body.count + part.count
        if let received, needed > received.size {
            let wanted = max(needed, min(2 * received.size, announced))
            guard received.grow(to: wanted) || received.grow(to: needed) else {
                (body, self.received) = ([], nil)
                // In the midst of a body the library takes no answer.
                return leave(.farewell(service.handler.problem(for: HTTPRefusalReason.noRoomForBody.refusal).lastBytes))
            }
            body.reserveCapacity(received.size)
        }
        body.append(contentsOf: part)
        return .YES
    }

    /// Answers a request without body.
    private func answer(_ call: Call, target: UnsafeRawBufferPointer) -> MHD_Result {
        switch service.reader.read(call.connection, method: call.method, version: call.version, target: target, peer: peer) {
        case .success(let head):
            if let prepared = service.handler.prepared(for: head) {
                phase = .answered
                sequel = .close
                watch.enter(.sending, at: service.connections.moment)
                return service.prepared.queue(prepared, on: call.connection)
            }
            return respond(to: HTTPRequest(head), on: call)
        case .failure(let reason):
            return refuse(reason, on: call)
        }
    }

    private func respond(to request: HTTPRequest, on call: Call) -> MHD_Result {
        var request = request
        request.body = body
        body = []
        let answer = DeferredAnswer(call.connection, descriptor: watch.descriptor, desk: service.deferred)
        guard let response = service.handler.respond(to: request, completion: answer.completion()) else {
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

    private func send(_ response: HTTPResponse, on call: Call, isLast: Bool = false) -> MHD_Result {
        phase = .answered
        watch.enter(.sending, at: service.connections.moment)
        switch response.body {
        case .bytes(let bytes):
            received = nil
            if bytes.count > Self.smallAnswer {
                // A change that was carried out must not be answered as if it were not.
                unread = service.unread.hold(bytes, for: network, isForced: !call.isRead)
                if unread == nil { return send(service.handler.problem(for: HTTPRefusalReason.noRoomForAnswer.refusal), on: call, isLast: isLast) }
            }
            sequel = isLast ? .farewell([]) : .close
            return Answer(status: response.status, headers: response.headers, body: bytes, isLast: isLast)?.queue(on: call.connection) ?? .NO
        case .events(let stream):
            guard strcmp(call.method, "HEAD") != 0 else {
                stream.close()
                return leave(.farewell(response.streamHead))
            }
            return leave(.events(stream, head: response.streamHead))
        }
    }

    /// Makes the library let go of the connection at once: what follows is the loop's.
    private func leave(_ next: Sequel) -> MHD_Result {
        phase = .answered
        sequel = next
        service.expectComplaint()
        return .NO
    }
}
