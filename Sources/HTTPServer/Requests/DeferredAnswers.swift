import CLinux
import CMicroHTTPD
import Glibc
import RemoteControl
import Synchronization

/// The requests whose handlers answer later; their connections are suspended. Any thread may use them.
///
/// libmicrohttpd is called with the lock held, because suspension and resumption must exclude each other: libmicrohttpd would end the process if a
/// connection were resumed twice, or the daemon stopped while a connection is suspended.
final class DeferredAnswers: Sendable {
    fileprivate struct Content {
        var suspended: [ObjectIdentifier: DeferredAnswer] = [:]
        var isStopping = false
    }

    /// The next step for a request without an immediate answer.
    enum Outcome {
        case answer(HTTPResponse)
        /// The connection is suspended; `answerRequest` is called again when there is an answer.
        case wait
        /// No answer is sent, and the connection is closed.
        case drop
    }

    fileprivate let content = Mutex(Content())

    /// Returns the answer if the handler has called back; otherwise suspends the connection. Called by `answerRequest`, on libmicrohttpd's thread.
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

    /// Forgets a request that was answered immediately, or whose connection is closed.
    func finish(_ answer: DeferredAnswer) {
        let left = content.withLock { _ in
            let left = answer.state
            answer.state = .finished
            return left
        }
        if case .answered(let response) = left, case .events(let stream) = response.body { stream.close() }
    }

    /// Drops all suspended requests, and suspends none any more, so that the daemon can be stopped.
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

    /// Drops and abandons requests whose clients have disconnected, which libmicrohttpd does not detect while a connection is suspended.
    func dropAbandoned() {
        // The lock is held, so that no descriptor is closed and reused meanwhile.
        let abandoned = content.withLock { content -> [DeferredAnswer] in
            guard !content.suspended.isEmpty else { return [] }
            let answers = Array(content.suspended.values)
            var events = answers.map { pollfd(fd: $0.descriptor, events: Int16(truncatingIfNeeded: EPOLLRDHUP.rawValue), revents: 0) }
            guard poll(&events, nfds_t(events.count), 0) > 0 else { return [] }
            var left: [DeferredAnswer] = []
            for (answer, event) in zip(answers, events) where event.revents != 0 {
                answer.state = .finished
                content.suspended[ObjectIdentifier(answer)] = nil
                MHD_resume_connection(answer.connection)
                left.append(answer)
            }
            return left
        }
        for answer in abandoned { answer.request.abandon() }
    }

    /// Stores the answer, and resumes a suspended connection; `response` is nil if no answer will follow. Only the first call has an effect.
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
        // The answer is too late, so its stream will not be read.
        if !isTaken, case .events(let stream)? = response?.body { stream.close() }
    }
}

/// A request whose handler may answer later.
///
/// `@unchecked Sendable`: `state` and `connection` are accessed only under the lock of `DeferredAnswers`, the latter only while libmicrohttpd keeps
/// it: suspended, or during a callback.
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
    fileprivate let request: any AdmittedRequest
    private let desk: DeferredAnswers

    init(to request: any AdmittedRequest, _ connection: OpaquePointer, descriptor: Int32, desk: DeferredAnswers) {
        self.request = request
        self.connection = connection
        self.descriptor = descriptor
        self.desk = desk
    }

    /// Returns the function that passes the answer. If the function is released without a call, the connection is closed.
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
