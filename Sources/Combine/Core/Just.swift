/// Sends one value to each subscriber that asks for one, and ends.
public struct Just<Output>: Publisher {
    public typealias Failure = Never
    /// What it sends.
    public let output: Output

    public init(_ output: Output) { self.output = output }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let outlet = Outlet(to: subscriber, surplus: .kept, first: output)
        outlet.enqueue(completion: .finished)
        outlet.begin()
    }
}

extension Just: Equatable where Output: Equatable {}
