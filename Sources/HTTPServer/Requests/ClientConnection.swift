import CMicroHTTPD
import Glibc
import RemoteControl

/// A client's connection with its current request, on libmicrohttpd's thread.
final class ClientConnection {
    private enum Phase {
        /// The request line was received.
        case head
        /// The head is complete, without a body.
        case bodiless
        /// The head was admitted, and the body is being received.
        case body(any AdmittedRequest)
        /// The handler will answer later.
        case deferred(DeferredAnswer)
        case answered
    }

    /// The use of the socket after libmicrohttpd has closed its descriptor.
    private enum SocketOutcome {
        case close
        /// The stream loop sends `head`, and then the stream.
        case events(any EventStream, head: [UInt8])
        /// The stream loop sends these last bytes, and discards what the client still sends.
        case farewell([UInt8])
    }

    private let service: HTTPService
    private let peer: HTTPPeer
    private let pass: ConnectionPass
    private let activity: ConnectionActivity

    private var phase = Phase.answered
    private var socketOutcome = SocketOutcome.close
    private var target: [UInt8] = []
    private var body: [UInt8] = []
    /// The length of the body that the head announces, in bytes.
    private var announced = 0
    /// The reservation for the request's body, until the answer.
    private var received: MemoryReservation?
    /// The reservation for an answer, until the client has received it.
    private var unread: MemoryReservation?
    /// The network whose share of the memory budgets is used.
    private lazy var network = peer.network

    /// The largest size of a small answer, in bytes. Small answers are not in the memory budget, because the number of connections is limited.
    private static let smallAnswer = 16 << 10

    init(service: HTTPService, descriptor: Int32, address: SocketAddress) {
        self.service = service
        peer = HTTPPeer(address: address.numericHost, isLoopback: address.key.isLoopback)
        pass = service.connections.enter(address)
        activity = ConnectionActivity(descriptor: descriptor, moment: service.connections.moment)
        if service.connections.watch(activity) { service.mailbox.signal() }
    }

    func begin(target bytes: UnsafeRawBufferPointer) {
        target.removeAll(keepingCapacity: true)
        target.append(contentsOf: bytes)
        phase = .head
        socketOutcome = .close
        activity.enter(.receiving, at: service.connections.moment)
    }

    func completed() {
        if case .deferred(let answer) = phase { service.deferred.finish(answer) }
        phase = .answered
        if !body.isEmpty { body = [] }
        (received, unread) = (nil, nil)
        // An idle connection keeps no more memory than a usual target needs.
        if target.capacity > 1024 { target = [] }
        activity.enter(.pausing, at: service.connections.moment)
    }

    /// Called before libmicrohttpd closes the socket. The stream loop gets a duplicate of a socket with an event stream, last bytes or unread input.
    func closed() {
        service.connections.forget(activity)
        switch socketOutcome {
        case .close:
            // With unread bytes, the close would reset the connection, perhaps before the answer arrives.
            var unread: Int32 = 0
            if ioctl(activity.descriptor, UInt(FIONREAD), &unread) == 0, unread > 0 { handOver(.farewell([])) }
        case .events(let stream, let head):
            if !handOver(.events(stream, head: head)) { stream.close() }
        case .farewell(let bytes):
            handOver(.farewell(bytes))
        }
    }

    /// Passes a duplicate of the socket to the stream loop; libmicrohttpd then closes its own descriptor without a shutdown (`MHD_USE_TURBO`).
    /// Returns false if the socket cannot be duplicated.
    @discardableResult
    private func handOver(_ purpose: LoopMailbox.Arrival.Purpose) -> Bool {
        let copy = fcntl(activity.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return false }
        service.mailbox.hand(over: LoopMailbox.Arrival(descriptor: copy, pass: pass, purpose: purpose))
        return true
    }
}

// MARK: - One request

extension ClientConnection {
    /// The arguments of one call of `answerRequest`.
    struct Call {
        let connection: OpaquePointer
        let method: UnsafePointer<CChar>
        let version: UnsafePointer<CChar>
        /// A part of the body; empty in the first call, directly after the head, and in the last call.
        let upload: UnsafeRawBufferPointer

        /// Whether the request changes nothing.
        var isRead: Bool { strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 }
    }

    /// Carries out the next step of the request. After `MHD_NO` libmicrohttpd closes the connection.
    func proceed(_ call: Call) -> MHD_Result {
        switch phase {
        case .head:
            // After an answer in the first call, libmicrohttpd would close the connection.
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
        // The announced length is only a claim, so at most 4 KiB are reserved at first.
        guard service.received.fits(length, for: network), let memory = service.received.reserve(min(length, 4096), for: network) else {
            return send(service.handler.response(refusing: .receivedBodies), on: call, isLast: true)
        }
        (received, announced) = (memory, length)
        body.reserveCapacity(memory.size)
        phase = .body(request)
        return .YES
    }

    /// Appends a part of the body. If the budget is used up, refuses the request and closes the connection.
    private func take(_ part: UnsafeRawBufferPointer, on call: Call) -> MHD_Result {
        let needed = body.count + part.count
        if let received, needed > received.size {
            let wanted = max(needed, min(2 * received.size, announced))
            guard received.grow(to: wanted) || received.grow(to: needed) else {
                (body, self.received) = ([], nil)
                // libmicrohttpd accepts no answer while the body is incomplete, so the stream loop sends it.
                return leave(.farewell(service.handler.response(refusing: .receivedBodies).lastBytes))
            }
            body.reserveCapacity(received.size)
        }
        body.append(contentsOf: part)
        return .YES
    }

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
        // The phase begins before the handler runs, so that a program that stops waits for this request from the request's first effect on.
        activity.enter(.thinking, at: service.connections.moment)
        let answer = DeferredAnswer(to: request, call.connection, descriptor: activity.descriptor, desk: service.deferred)
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
            return .YES
        case .drop:
            return leave(.close)
        }
    }

    /// Refuses a request, whose head may have left libmicrohttpd no memory for an answer. So the stream loop sends it.
    private func refuse(_ reason: HTTPRefusalReason, on call: Call) -> MHD_Result {
        let response = service.handler.response(refusing: reason.problem)
        return leave(.farewell(strcmp(call.method, "HEAD") == 0 ? response.lastHead : response.lastBytes))
    }

    private func send(_ response: HTTPResponse, on call: Call, isLast: Bool = false) -> MHD_Result {
        phase = .answered
        activity.enter(.sending, at: service.connections.moment)
        switch response.body {
        case .bytes(let bytes):
            received = nil
            if bytes.count > Self.smallAnswer {
                // The answer to a change is sent even beyond the budget: otherwise the change would be reported as failed.
                unread = service.unread.reserve(bytes.count, for: network, isForced: !call.isRead)
                if unread == nil { return send(service.handler.response(refusing: .unreadAnswers), on: call, isLast: isLast) }
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

    /// Closes the connection at once; the socket is then treated as `next` states.
    private func leave(_ next: SocketOutcome) -> MHD_Result {
        phase = .answered
        socketOutcome = next
        service.suppressNextMessage()
        return .NO
    }
}
