import Combine
import Testing

/// A subscriber that requests as much as the test sets, and records what it receives.
final class Taker<Input, Failure: Error>: Subscriber {
    private(set) var subscription: (any Subscription)?
    private(set) var values: [Input] = []
    private(set) var completions: [Subscribers.Completion<Failure>] = []
    private(set) var subscriptionCount = 0
    /// The additional demand returned for each value.
    var more = Subscribers.Demand.none
    private let first: Subscribers.Demand

    init(_ first: Subscribers.Demand) { self.first = first }

    func receive(subscription: any Subscription) {
        subscriptionCount += 1
        self.subscription = subscription
        CancelsTakers.subscriptions?.list.append(subscription)
        if first > .none { subscription.request(first) }
    }
    func receive(_ input: Input) -> Subscribers.Demand {
        values.append(input)
        return more
    }
    func receive(completion: Subscribers.Completion<Failure>) { completions.append(completion) }
}

/// Cancels the subscriptions of all takers after a test: a subject and its subscriber hold each other until then.
struct CancelsTakers: SuiteTrait, TestTrait, TestScoping {
    /// Used by one test, on one thread.
    final class Subscriptions: @unchecked Sendable { var list: [any Subscription] = [] }
    @TaskLocal static var subscriptions: Subscriptions?

    var isRecursive: Bool { true }
    func scopeProvider(for test: Test, testCase: Test.Case?) -> CancelsTakers? { testCase == nil ? nil : self }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        let subscriptions = Subscriptions()
        defer { for subscription in subscriptions.list { subscription.cancel() } }
        try await Self.$subscriptions.withValue(subscriptions) { try await function() }
    }
}

extension Trait where Self == CancelsTakers {
    static var cancelsTakers: Self { Self() }
}

/// A failure with a name.
struct Trouble: Error, Equatable {
    var name: String
}

/// The events of a test, in order.
final class Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
