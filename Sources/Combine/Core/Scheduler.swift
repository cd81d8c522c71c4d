public import Dispatch
public import Foundation

/// A length of time that can be made of seconds.
public protocol SchedulerTimeIntervalConvertible {
    static func seconds(_ s: Int) -> Self
    static func seconds(_ s: Double) -> Self
    static func milliseconds(_ ms: Int) -> Self
    static func microseconds(_ us: Int) -> Self
    static func nanoseconds(_ ns: Int) -> Self
}

/// Runs actions, now or later.
public protocol Scheduler<SchedulerTimeType> {
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
    associatedtype SchedulerOptions

    var now: SchedulerTimeType { get }
    /// By how much an action may be late at least.
    var minimumTolerance: SchedulerTimeType.Stride { get }

    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void)
    /// Runs the action at `date`, and again after each interval, until the result is cancelled.
    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable
}

extension Scheduler {
    public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }

    public func schedule(after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride? = nil, _ action: @escaping () -> Void) {
        schedule(after: date, tolerance: tolerance ?? minimumTolerance, options: nil, action)
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride? = nil, _ action: @escaping () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: tolerance ?? minimumTolerance, options: nil, action)
    }
}

/// A time of a scheduler whose times are those of `Clock`, to the nanosecond. Times beyond 292 years are that far.
///
/// ```swift
/// let later = DispatchQueue.main.now.advanced(by: .seconds(0.5))
/// ```
public struct SchedulerTime<Clock>: Strideable, Hashable, Sendable {
    fileprivate let nanoseconds: Int

    fileprivate init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    public func distance(to other: SchedulerTime) -> Stride { Stride(magnitude: other.nanoseconds.clampedDifference(nanoseconds)) }
    public func advanced(by n: Stride) -> SchedulerTime { SchedulerTime(nanoseconds: nanoseconds.clampedSum(n.magnitude)) }

    /// A length of time; a number without a unit is in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable, Hashable, ExpressibleByFloatLiteral, Sendable {
        /// Nanoseconds.
        public var magnitude: Int

        fileprivate init(magnitude: Int) { self.magnitude = magnitude }
        public init(integerLiteral value: Int) { self = .seconds(value) }
        public init(floatLiteral value: Double) { self = .seconds(value) }
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let magnitude = Int(exactly: source) else { return nil }
            self.magnitude = magnitude
        }

        public static func seconds(_ s: Int) -> Self { Self(magnitude: s.clampedProduct(1_000_000_000)) }
        public static func seconds(_ s: Double) -> Self { Self(magnitude: Int(exactly: (s * 1e9).rounded()) ?? (s > 0 ? .max : .min)) }
        public static func milliseconds(_ ms: Int) -> Self { Self(magnitude: ms.clampedProduct(1_000_000)) }
        public static func microseconds(_ us: Int) -> Self { Self(magnitude: us.clampedProduct(1_000)) }
        public static func nanoseconds(_ ns: Int) -> Self { Self(magnitude: ns) }

        public static func < (a: Self, b: Self) -> Bool { a.magnitude < b.magnitude }
        public static func + (a: Self, b: Self) -> Self { Self(magnitude: a.magnitude.clampedSum(b.magnitude)) }
        public static func - (a: Self, b: Self) -> Self { Self(magnitude: a.magnitude.clampedDifference(b.magnitude)) }
        public static func * (a: Self, b: Self) -> Self { Self(magnitude: a.magnitude.clampedProduct(b.magnitude)) }
        public static func *= (a: inout Self, b: Self) { a = a * b }
    }
}

extension Int {
    fileprivate func clampedSum(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
    fileprivate func clampedDifference(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
    fileprivate func clampedProduct(_ other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension SchedulerTime where Clock == DispatchTime {
    public init(_ time: DispatchTime) { self.init(nanoseconds: Int(clamping: time.uptimeNanoseconds)) }
    public var dispatchTime: DispatchTime { DispatchTime(uptimeNanoseconds: UInt64(clamping: nanoseconds)) }
}

extension SchedulerTime.Stride where Clock == DispatchTime {
    public init(_ interval: DispatchTimeInterval) {
        switch interval {
        case .seconds(let count): self = .seconds(count)
        case .milliseconds(let count): self = .milliseconds(count)
        case .microseconds(let count): self = .microseconds(count)
        case .nanoseconds(let count): self = .nanoseconds(count)
        default: self = .nanoseconds(.max)
        }
    }
    public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }
}

extension SchedulerTime where Clock == Date {
    public init(_ date: Date) { self.init(nanoseconds: Stride.seconds(date.timeIntervalSinceReferenceDate).magnitude) }
    public var date: Date { Date(timeIntervalSinceReferenceDate: Double(nanoseconds) / 1e9) }
}

extension SchedulerTime.Stride where Clock == Date {
    public init(_ interval: TimeInterval) { self = .seconds(interval) }
    public var timeInterval: TimeInterval { Double(magnitude) / 1e9 }
}

/// Runs each action at once, on the caller's thread, also one for a later time.
public struct ImmediateScheduler: Scheduler, Sendable {
    public typealias SchedulerTimeType = SchedulerTime<ImmediateScheduler>
    public typealias SchedulerOptions = Never
    public static let shared = ImmediateScheduler()

    public var now: SchedulerTimeType { SchedulerTimeType(nanoseconds: 0) }
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
    public func schedule(after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?, _ action: @escaping () -> Void) {
        action()
    }
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        action()
        return AnyCancellable {}
    }
}

extension DispatchQueue: Scheduler {
    public typealias SchedulerTimeType = SchedulerTime<DispatchTime>

    /// How an action is submitted to a dispatch queue.
    public struct SchedulerOptions {
        public var qos: DispatchQoS
        public var flags: DispatchWorkItemFlags
        public var group: DispatchGroup?
        public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
    public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let action = HandedOver(value: action)
        let options = options ?? SchedulerOptions()
        async(group: options.group, qos: options.qos, flags: options.flags) { action.value() }
    }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        let action = HandedOver(value: action)
        let options = options ?? SchedulerOptions()
        asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) { action.value() }
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        let action = HandedOver(value: action)
        let timer = DispatchSource.makeTimerSource(queue: self)
        timer.schedule(deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: tolerance.timeInterval)
        timer.setEventHandler { action.value() }
        timer.resume()
        return AnyCancellable { timer.cancel() }
    }
}

extension OperationQueue: Scheduler {
    public typealias SchedulerTimeType = SchedulerTime<Date>
    /// Operation queues have no options.
    public struct SchedulerOptions {}

    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }
    public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let action = HandedOver(value: action)
        addOperation { action.value() }
    }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        DispatchQueue.global().schedule(after: date.onDispatchQueue) { [self] in schedule(options: options, action) }
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        DispatchQueue.global().schedule(after: date.onDispatchQueue, interval: .nanoseconds(interval.magnitude)) { [self] in
            schedule(options: options, action)
        }
    }
}

extension SchedulerTime where Clock == Date {
    fileprivate var onDispatchQueue: DispatchQueue.SchedulerTimeType {
        DispatchQueue.main.now.advanced(by: .nanoseconds(Self(Date()).distance(to: self).magnitude))
    }
}

extension RunLoop: Scheduler {
    public typealias SchedulerTimeType = SchedulerTime<Date>
    /// Run loops have no options.
    public struct SchedulerOptions {}

    public var now: SchedulerTimeType { SchedulerTimeType(Date()) }
    public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let action = HandedOver(value: action)
        perform { action.value() }
    }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        addTimer(date, interval: 0, tolerance, action)
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        let timer = addTimer(date, interval: interval.timeInterval, tolerance, action)
        return AnyCancellable { timer.invalidate() }
    }

    @discardableResult private func addTimer(
        _ date: SchedulerTimeType, interval: TimeInterval, _ tolerance: SchedulerTimeType.Stride, _ action: @escaping () -> Void
    ) -> Timer {
        let action = HandedOver(value: action)
        let timer = Timer(fire: date.date, interval: interval, repeats: interval > 0) { _ in action.value() }
        timer.tolerance = tolerance.timeInterval
        add(timer, forMode: .default)
        return timer
    }
}
