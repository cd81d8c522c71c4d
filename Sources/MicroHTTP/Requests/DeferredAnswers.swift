import CLinux
import CMicroHTTPD
import Glibc
import RemoteControl
import Synchronization

/// Requests whose answer comes later: their connections are suspended until it has come. Safe from any thread.
///
/// The library's functions to suspend and to resume are called under the lock, against the usual rule: the moment between "it is suspended" and "it
/// is resumed" must have one owner, for to resume twice, or to stop the daemon while a connection is suspended, ends the process.
final class DeferredAnswers: Sendable {
    fileprivate struct Content {
        var suspended: [ObjectIdentifier: DeferredAnswer] = [:]
        var isStopping = false
    }

    /// What to do with a request that its handler has not answered at once.
    enum Outcome {
        case answer(HTTPResponse)
        /// The connection is suspended; the request comes again when there is an answer.
        case wait
        /// There will be no answer: close the connection.
        case drop
    }

    fileprivate let content = Mutex(Content())

    /// Suspends the connection unless the answer has come by now. For libmicrohttpd's thread, in the callback for that request.
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

    /// No answer is wanted any more: it was given at once, or the connection is gone.
    func finish(_ answer: DeferredAnswer) {
        let left = content.withLock { _ in
            let left = answer.state
            answer.state = .finished
            return left
        }
        if case .answered(let response) = left, case .events(let stream) = response.body { stream.close() }
    }

    /// Resumes everybody, and suspends nobody any more: the daemon may be stopped.
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

    /// Lets go of clients that have left: the library does not watch a suspended connection.
    func dropAbandoned() {
        // Under the lock, so that no descriptor can be closed, and be another's, in the meantime.
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

    /// Takes the answer, or nil where none will come; the first call counts.
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
        // Nobody will read a stream that comes too late.
        if !isTaken, case .events(let stream)? = response?.body { stream.close() }
    }
}

/// One request whose answer may come later.
///
/// `@unchecked Sendable`: `state` is touched under the lock of `DeferredAnswers` alone; `connection` is used there alone, and only while it is
/// suspended or in its own callback, when libmicrohttpd keeps it.
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

    /// What the handler calls. Where it drops it uncalled, the connection is closed.
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
