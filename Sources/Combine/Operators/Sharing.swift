/// A publisher that sends nothing before `connect` is called.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
    /// Begins to send. The result ends that.
    func connect() -> any Cancellable
}

extension Publishers {
    /// Sends the values of one subscription to a publisher to all subscribers, through a subject.
    ///
    /// ```swift
    /// let shared = loaded.multicast { PassthroughSubject() }
    /// let tokens = [shared.sink(receiveValue: show), shared.sink(receiveValue: store)]
    /// let connection = shared.connect()
    /// ```
    public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
    where Upstream.Failure == SubjectType.Failure, Upstream.Output == SubjectType.Output {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let createSubject: () -> SubjectType
        private let present = Guarded<SubjectType?>(nil)

        public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
            self.upstream = upstream
            self.createSubject = createSubject
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure { subject.subscribe(subscriber) }
        public func connect() -> any Cancellable { upstream.subscribe(subject) }

        private var subject: SubjectType {
            if let subject = present.withLock({ $0 }) { return subject }
            let new = createSubject()
            return present.withLock { present in
                let subject = present ?? new
                present = subject
                return subject
            }
        }
    }

    /// Connects to a connectable publisher with the first subscriber, and disconnects after the last has cancelled.
    ///
    /// ```swift
    /// let token = Timer.publish(every: 1, on: .main, in: .common).autoconnect().sink { _ in refresh() }
    /// ```
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        private enum Connection {
            case none
            /// `connect` is being called.
            case begun
            case made(any Cancellable)
        }
        private let state = Guarded((subscribers: 0, connection: Connection.none))

        public init(upstream: Upstream) { self.upstream = upstream }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let isFirst = state.withLock { state in
                state.subscribers += 1
                return state.subscribers == 1
            }
            let flow = Flow<Output, Failure>(to: subscriber) { [state] in
                let connection = state.withLock { state -> (any Cancellable)? in
                    state.subscribers -= 1
                    guard state.subscribers == 0, case .made(let connection) = state.connection else { return nil }
                    state.connection = .none
                    return connection
                }
                connection?.cancel()
            }
            flow.forward(upstream) { flow.end($0) }
            guard isFirst else { return }
            let begins = state.withLock { state in
                // A subscriber that has got the completion already needs no connection. One that came while a former first subscriber was being
                // cancelled may find that one's connection, and uses it.
                guard state.subscribers > 0, case .none = state.connection else { return false }
                state.connection = .begun
                return true
            }
            guard begins else { return }
            let connection = upstream.connect()
            let isTooLate = state.withLock { state in
                state.connection = state.subscribers > 0 ? .made(connection) : .none
                return state.subscribers == 0
            }
            if isTooLate { connection.cancel() }
        }
    }

    /// Sends the values of one subscription to a publisher to all subscribers. The subscription begins with the first, and ends with the last.
    ///
    /// ```swift
    /// let titles = downloaded.map(\.title).share()
    /// ```
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        private let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

        public init(upstream: Upstream) {
            self.upstream = upstream
            shared = upstream.multicast(subject: PassthroughSubject()).autoconnect()
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure { shared.receive(subscriber: subscriber) }

        public static func == (a: Share, b: Share) -> Bool { a === b }
    }

    public typealias MakeConnectable<Upstream: Publisher> = Multicast<Upstream, PassthroughSubject<Upstream.Output, Upstream.Failure>>
}

extension ConnectablePublisher {
    /// Connects with the first subscriber, and disconnects after the last has cancelled.
    public func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(upstream: self) }
}

extension Publisher {
    /// Sends the values to all subscribers, through one subject, which is made when it is needed.
    public func multicast<S: Subject>(_ createSubject: @escaping () -> S) -> Publishers.Multicast<Self, S>
    where S.Failure == Failure, S.Output == Output {
        Publishers.Multicast(upstream: self, createSubject: createSubject)
    }
    /// Sends the values to all subscribers, through `subject`.
    public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S> where S.Failure == Failure, S.Output == Output {
        multicast { subject }
    }

    /// Sends the values of one subscription to all subscribers.
    public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

extension Publisher where Failure == Never {
    /// Sends the values of one subscription to all subscribers, from `connect()` on.
    public func makeConnectable() -> Publishers.MakeConnectable<Self> { multicast { PassthroughSubject() } }
}
