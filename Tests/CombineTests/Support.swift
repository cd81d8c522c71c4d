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

    /// The failures of publishers that can fail with any error.
    var troubles: [Trouble] {
        completions.compactMap { if case .failure(let error) = $0 { error as? Trouble } else { nil } }
    }
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

/// A scheduler whose time passes when the test says so. Actions for one time run in the order in which they were scheduled.
final class VirtualScheduler: Scheduler {
    typealias SchedulerTimeType = ImmediateScheduler.SchedulerTimeType
    typealias SchedulerOptions = Never
    private struct Action {
        let number: Int
        let time: SchedulerTimeType
        let interval: SchedulerTimeType.Stride?
        let run: () -> Void
    }
    private(set) var now = ImmediateScheduler.shared.now
    let minimumTolerance: SchedulerTimeType.Stride = 0
    private var actions: [Action] = []
    private var count = 0
    /// The number of actions that have not run.
    var pendingCount: Int { actions.count }

    func schedule(options: Never?, _ action: @escaping () -> Void) { add(now, nil, action) }
    func schedule(after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void) {
        add(date, nil, action)
    }
    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        let number = add(date, interval, action)
        return AnyCancellable { [self] in actions.removeAll { $0.number == number } }
    }

    @discardableResult private func add(_ time: SchedulerTimeType, _ interval: SchedulerTimeType.Stride?, _ run: @escaping () -> Void) -> Int {
        count += 1
        actions.append(Action(number: count, time: time, interval: interval, run: run))
        return count
    }

    /// Runs the actions of the following time, including those that they schedule.
    func advance(by interval: SchedulerTimeType.Stride) {
        let end = now.advanced(by: interval)
        while let next = actions.min(by: { ($0.time, $0.number) < ($1.time, $1.number) }), next.time <= end {
            now = max(now, next.time)
            actions.removeAll { $0.number == next.number }
            if let interval = next.interval {
                actions.append(Action(number: next.number, time: next.time.advanced(by: interval), interval: interval, run: next.run))
            }
            next.run()
        }
        now = end
    }
}

extension Publisher {
    /// Subscribes a recording subscriber.
    func recorded(_ demand: Subscribers.Demand = .unlimited) -> RecordingSubscriber<Output, Failure> {
        let subscriber = RecordingSubscriber<Output, Failure>(demand)
        subscribe(subscriber)
        return subscriber
    }
}
