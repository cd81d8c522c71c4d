/// Sends one value to each subscriber that requests one, and then finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never
    public let output: Output

    public init(_ output: Output) { self.output = output }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let outlet = Outlet(to: subscriber, surplus: .kept, first: output)
        outlet.enqueue(completion: .finished)
        outlet.begin()
    }
}

extension Just: Equatable where Output: Equatable {}
