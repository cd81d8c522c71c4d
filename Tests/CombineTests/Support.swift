import Combine
import Testing

/// A subscriber that requests the number of values that the test sets, and records everything that it receives.
final class RecordingSubscriber<Input, Failure: Error>: Subscriber {
    private(set) var subscription: (any Subscription)?
    private(set) var values: [Input] = []
    private(set) var completions: [Subscribers.Completion<Failure>] = []
    private(set) var subscriptionCount = 0
    /// The additional demand that the subscriber returns for each received value.
    var more = Subscribers.Demand.none
    private let initialDemand: Subscribers.Demand

    init(_ first: Subscribers.Demand) { initialDemand = first }

    func receive(subscription: any Subscription) {
        subscriptionCount += 1
        self.subscription = subscription
        CancelsSubscriptions.subscriptions?.list.append(subscription)
        if initialDemand > .none { subscription.request(initialDemand) }
    }
    func receive(_ input: Input) -> Subscribers.Demand {
        values.append(input)
        return more
    }
    func receive(completion: Subscribers.Completion<Failure>) { completions.append(completion) }
}

/// Cancels the subscriptions of all recording subscribers after a test. A subject and its subscriber keep each other alive until their subscription
/// is cancelled.
struct CancelsSubscriptions: SuiteTrait, TestTrait, TestScoping {
    /// The subscriptions of one test. `@unchecked Sendable`: only that test uses the object, on one thread.
    final class Subscriptions: @unchecked Sendable { var list: [any Subscription] = [] }
    @TaskLocal static var subscriptions: Subscriptions?

    var isRecursive: Bool { true }
    func scopeProvider(for test: Test, testCase: Test.Case?) -> CancelsSubscriptions? { testCase == nil ? nil : self }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        let subscriptions = Subscriptions()
        defer { for subscription in subscriptions.list { subscription.cancel() } }
        try await Self.$subscriptions.withValue(subscriptions) { try await function() }
    }
}

extension Trait where Self == CancelsSubscriptions {
    static var cancelsSubscriptions: Self { Self() }
}

/// An error with a name, for publishers that fail.
struct Trouble: Error, Equatable {
    var name: String
}

/// The events of a test, in order.
final class Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
