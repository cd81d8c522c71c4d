import CLinux
import CMicroHTTPD
import Glibc
import RemoteControl
import Synchronization

/// Requests that are answered later. Their connections are suspended until then. Any thread.
///
/// The library's functions to suspend and to resume are called while the lock is held, against the usual rule. The process would end if a connection
/// were resumed twice, or if the daemon were stopped while one is suspended. So suspension and resumption must exclude each other.
final class DeferredAnswers: Sendable {
    fileprivate struct Content {
        var suspended: [ObjectIdentifier: DeferredAnswer] = [:]
        var isStopping = false
    }

    /// What to do with a request that its handler did not answer immediately.
    enum Outcome {
        case answer(HTTPResponse)
        /// The connection is suspended. The library calls again for this request after the answer.
        case wait
        /// There will be no answer: the connection must be closed.
        case drop
    }

    fileprivate let content = Mutex(Content())

    /// Suspends the connection unless the answer is available. For libmicrohttpd's thread, in the callback of that request.
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

    /// Discards any later answer: the request was answered immediately, or the connection is closed.
    func finish(_ answer: DeferredAnswer) {
        let left = content.withLock { _ in
            let left = answer.state
            answer.state = .finished
            return left
        }
        if case .answered(let response) = left, case .events(let stream) = response.body { stream.close() }
    }

    /// Resumes all connections and suspends no more, so that the daemon can be stopped.
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

    /// Resumes the connections of clients that have disconnected, because the library does not watch suspended connections.
    func dropAbandoned() {
        // The lock prevents that a descriptor is closed meanwhile and its number reused.
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

    /// Stores the answer, or nil if none will follow. Only the first call has an effect.
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
        // A stream that is too late will not be read.
        if !isTaken, case .events(let stream)? = response?.body { stream.close() }
    }
}

/// One request whose answer may follow later.
///
/// `@unchecked Sendable`: `state` is accessed only under the lock of `DeferredAnswers`. So is `connection`, and only while it is suspended or in its
/// own callback, when libmicrohttpd keeps it alive.
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

    /// Returns the function that the handler calls. If it is released without a call, the connection is closed.
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
