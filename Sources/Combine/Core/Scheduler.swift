public import Dispatch
public import Foundation

/// A context that runs actions. The protocol has only the part of Apple's `Scheduler` that `receive(on:)` needs: no operator of this package's
/// Combine module delays values.
public protocol Scheduler {
    /// The type of the options of a scheduled action.
    associatedtype SchedulerOptions
    /// Runs `action` as soon as possible.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
    /// Runs `action` as soon as possible.
    public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }
}

/// A scheduler that runs every action immediately, on the caller's thread.
public struct ImmediateScheduler: Scheduler, Sendable {
    public typealias SchedulerOptions = Never
    public static let shared = ImmediateScheduler()
    public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
}

extension DispatchQueue: Scheduler {
    /// The options with which an action is submitted to a dispatch queue.
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

    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let action = HandedOver(value: action)
        let options = options ?? SchedulerOptions()
        async(group: options.group, qos: options.qos, flags: options.flags) { action.value() }
    }
}

extension OperationQueue: Scheduler {
    public typealias SchedulerOptions = Never

    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        let action = HandedOver(value: action)
        addOperation { action.value() }
    }
}

extension RunLoop: Scheduler {
    public typealias SchedulerOptions = Never

    public func schedule(options: Never?, _ action: @escaping () -> Void) {
        let action = HandedOver(value: action)
        perform { action.value() }
    }
}
