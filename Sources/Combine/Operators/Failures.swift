// Operators for failures, and those that watch.

public import Foundation

extension Publishers {
    public typealias MapError<Upstream: Publisher, Failure: Error> = Operator<Upstream, Upstream.Output, Failure>
    public typealias SetFailureType<Upstream: Publisher, Failure: Error> = MapError<Upstream, Failure>
    public typealias AssertNoFailure<Upstream: Publisher> = MapError<Upstream, Never>
    public typealias ReplaceError<Upstream: Publisher> = MapError<Upstream, Never>
    public typealias Catch<Upstream: Publisher, NewPublisher: Publisher> = MapError<Upstream, NewPublisher.Failure>
    public typealias TryCatch<Upstream: Publisher, NewPublisher: Publisher> = MapError<Upstream, any Error>
    public typealias Retry<Upstream: Publisher> = MapError<Upstream, Upstream.Failure>
    public typealias HandleEvents<Upstream: Publisher> = MapError<Upstream, Upstream.Failure>
    public typealias Print<Upstream: Publisher> = MapError<Upstream, Upstream.Failure>
    public typealias Decode<Upstream: Publisher, Output, Coder> = Operator<Upstream, Output, any Error>
}

extension Publisher {
    /// Fails with the function's result for the error.
    public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
        step({ transform(Self.own($0)) }) { .send($0) }
    }

    /// Traps at a failure.
    public func assertNoFailure(_ prefix: String = "", file: StaticString = #file, line: UInt = #line) -> Publishers.AssertNoFailure<Self> {
        mapError { preconditionFailure("\(prefix) a publisher that must not fail has failed: \($0)", file: file, line: line) }
    }

    /// Sends the values of the publisher that `handler` makes of the error, if this publisher fails. The demand that is left over is that one's.
    ///
    /// ```swift
    /// let artwork = loaded.catch { _ in Just(placeholder) }
    /// ```
    public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P> where P.Output == Output {
        catching(P.own, handler)
    }
    /// As `catch`; the result fails with the error that `handler` throws.
    public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> Publishers.TryCatch<Self, P> where P.Output == Output {
        catching({ $0 }, handler)
    }
    private func catching<P: Publisher, F: Error>(
        _ failure: @escaping (any Error) -> F, _ handler: @escaping (Failure) throws -> P
    ) -> Publishers.MapError<Self, F> where P.Output == Output {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, F>(to: subscriber)
            flow.forward(upstream) { end in
                guard case .failure(let error) = end else { return flow.end(.finished) }
                do {
                    flow.forward(try handler(error)) { end in
                        switch end {
                        case .finished: flow.end(.finished)
                        case .failure(let error): flow.end(.failure(failure(error)))
                        }
                    }
                } catch {
                    flow.end(.failure(failure(error)))
                }
            }
        }
    }

    /// Sends `output` and finishes, if the publisher fails.
    public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> { `catch` { _ in Just(output) } }

    /// Subscribes again, at most `retries` times, if the publisher fails.
    public func retry(_ retries: Int) -> Publishers.Retry<Self> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber)
            func attempt(_ left: Int) {
                flow.forward(upstream) { end in
                    if end.isFailure, left > 0 { attempt(left - 1) } else { flow.end(end) }
                }
            }
            attempt(retries)
        }
    }

    /// Calls the functions before the events that they are named after pass.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.Operator(self) { upstream, subscriber in
            let watching = AnySubscriber<Output, Failure> { subscription in
                receiveSubscription?(subscription)
                subscriber.receive(
                    subscription: SubscriptionProxy {
                        receiveRequest?($0)
                        subscription.request($0)
                    } cancel: {
                        receiveCancel?()
                        subscription.cancel()
                    })
            } receiveValue: { value in
                receiveOutput?(value)
                let more = subscriber.receive(value)
                if more > .none { receiveRequest?(more) }
                return more
            } receiveCompletion: { completion in
                receiveCompletion?(completion)
                subscriber.receive(completion: completion)
            }
            upstream.subscribe(watching)
        }
    }

    /// Writes a line for each event, each with `prefix`, to `stream`, or else to the standard output.
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
        var stream = stream
        func write(_ event: String) {
            let line = prefix.isEmpty ? event : "\(prefix): \(event)"
            if stream == nil { Swift.print(line) } else { stream?.write(line + "\n") }
        }
        return handleEvents {
            write("receive subscription: (\($0))")
        } receiveOutput: {
            write("receive value: (\($0))")
        } receiveCompletion: { end in
            if case .failure(let error) = end { write("receive error: (\(error))") } else { write("receive finished") }
        } receiveCancel: {
            write("receive cancel")
        } receiveRequest: {
            write("request \($0)")
        }
    }
}

extension Publisher where Failure == Never {
    /// A publisher that does not fail, in a place where another type of failure is required.
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.Operator(self) { upstream, subscriber in
            upstream.subscribe(
                AnySubscriber<Output, Never> {
                    subscriber.receive(subscription: $0)
                } receiveValue: {
                    subscriber.receive($0)
                } receiveCompletion: { _ in
                    subscriber.receive(completion: .finished)
                })
        }
    }
}

// MARK: Coding

/// Decodes values from data.
public protocol TopLevelDecoder<Input> {
    associatedtype Input
    func decode<T: Decodable>(_ type: T.Type, from input: Input) throws -> T
}

extension JSONDecoder: TopLevelDecoder {}
extension PropertyListDecoder: TopLevelDecoder {}

extension Publisher {
    /// Decodes each value, and fails with the decoder's error.
    public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
        tryMap { try decoder.decode(type, from: $0) }
    }
}
