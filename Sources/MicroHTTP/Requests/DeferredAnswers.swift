import CLinux
import CMicroHTTPD
import Glibc
import RemoteControl
import Synchronization

/// The HTTP requests whose handlers answer them later. While a request waits for its answer, libmicrohttpd's connection is suspended. Any thread may
/// use `DeferredAnswers`.
///
/// Against the usual rule for locks, the code calls libmicrohttpd while it holds the lock, because the suspension and the resumption of a connection
/// must exclude each other. libmicrohttpd would end the process if a connection were resumed twice, or if the daemon were stopped while a connection
/// is suspended.
final class DeferredAnswers: Sendable {
    fileprivate struct Content {
        var suspended: [ObjectIdentifier: DeferredAnswer] = [:]
        var isStopping = false
    }

    /// The next act for a request that its handler did not answer immediately.
    enum Outcome {
        case answer(HTTPResponse)
        /// The connection waits for the answer, and is suspended until then. After the answer has become available, libmicrohttpd calls
        /// `answerRequest` again.
        case wait
        /// The request will have no answer, so the server closes the client's connection.
        case drop
    }

    fileprivate let content = Mutex(Content())

    /// Returns the answer to a request if it is available; otherwise suspends the request's connection. Must be called on libmicrohttpd's thread, in
    /// the callback of the request.
    func settle(_ answer: DeferredAnswer) -> Outcome {
        content.withLock { content in
            switch answer.state {
            case .answered(let response):
                answer.state = .finished
                return .answer(response)
            case .asked where !content.isStopping:
                answer.state = .suspended
                content.suspended[ObjectIdentifier(answer)] = answer
                MHD_suspend_connection(answer.connection)
                return .wait
            case .asked, .suspended, .finished:
                answer.state = .finished
                return .drop
            }
        }
    }

    /// Discards any later answer to a request, because the request was answered immediately or its connection is closed.
    func finish(_ answer: DeferredAnswer) {
        let left = content.withLock { _ in
            let left = answer.state
            answer.state = .finished
            return left
        }
        if case .answered(let response) = left, case .events(let stream) = response.body { stream.close() }
    }

    /// Resumes all suspended connections and suspends no more connections, so that libmicrohttpd's daemon can be stopped.
    func stop() {
        content.withLock { content in
            content.isStopping = true
            for answer in content.suspended.values {
                answer.state = .finished
                MHD_resume_connection(answer.connection)
            }
            content.suspended = [:]
        }
    }

    /// Resumes suspended connections whose clients have disconnected, so that libmicrohttpd notices and closes them: libmicrohttpd does not watch a
    /// suspended connection.
    func dropAbandoned() {
        // The lock prevents that a connection's descriptor is closed during the check for disconnected clients and its number is reused.
        content.withLock { content in
            guard !content.suspended.isEmpty else { return }
            let answers = Array(content.suspended.values)
            var events = answers.map { pollfd(fd: $0.descriptor, events: Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue), revents: 0) }
            guard poll(&events, nfds_t(events.count), 0) > 0 else { return }
            for (answer, event) in zip(answers, events) where event.revents != 0 {
                answer.state = .finished
                content.suspended[ObjectIdentifier(answer)] = nil
                MHD_resume_connection(answer.connection)
            }
        }
    }

    /// Stores the answer to a request and resumes the request's connection. A response of nil means that no answer to the request will follow. Only
    /// the first call of `complete` for a request has an effect.
    fileprivate func complete(_ answer: DeferredAnswer, with response: HTTPResponse?) {
        let isTaken = content.withLock { content in
            switch answer.state {
            case .asked:
                answer.state = response.map { .answered($0) } ?? .finished
                return true
            case .suspended:
                answer.state = response.map { .answered($0) } ?? .finished
                content.suspended[ObjectIdentifier(answer)] = nil
                MHD_resume_connection(answer.connection)
                return true
            case .answered, .finished:
                return false
            }
        }
        // If the answer arrived too late, the server will not read the answer's event stream, so the stream is closed here.
        if !isTaken, case .events(let stream)? = response?.body { stream.close() }
    }
}

/// One HTTP request that may be answered later.
///
/// `@unchecked Sendable`: `state` is accessed only under the lock of `DeferredAnswers`. `connection` is accessed only under the same lock, and only
/// while libmicrohttpd keeps the connection: while it is suspended, or during a callback for it.
final class DeferredAnswer: @unchecked Sendable {
    fileprivate enum State {
        case asked
        case suspended
        case answered(HTTPResponse)
        case finished
    }

    fileprivate var state = State.asked
    fileprivate let connection: OpaquePointer
    fileprivate let descriptor: Int32
    private let desk: DeferredAnswers

    init(_ connection: OpaquePointer, descriptor: Int32, desk: DeferredAnswers) {
        self.connection = connection
        self.descriptor = descriptor
        self.desk = desk
    }

    /// Returns the function with which the handler passes the answer to its request. If the handler releases this function without a call, the
    /// connection is closed.
    func completion() -> @Sendable (HTTPResponse) -> Void {
        let completion = Completion(answer: self, desk: desk)
        return { completion.call($0) }
    }

    private final class Completion: Sendable {
        let answer: DeferredAnswer
        let desk: DeferredAnswers

        init(answer: DeferredAnswer, desk: DeferredAnswers) {
            self.answer = answer
            self.desk = desk
        }

        func call(_ response: HTTPResponse) { desk.complete(answer, with: response) }

        deinit { desk.complete(answer, with: nil) }
    }
}
