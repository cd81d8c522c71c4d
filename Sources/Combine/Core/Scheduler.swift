public import Dispatch
public import Foundation

/// Where and when something is done. Only the part that `receive(on:)` needs: no operator here waits for a time.
public protocol Scheduler {
    /// How something is to be scheduled.
    associatedtype SchedulerOptions
    /// Does `action` as soon as its turn comes.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
    /// Does `action` as soon as its turn comes.
    public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }
}

/// Does everything at once.
public struct ImmediateScheduler: Scheduler, Sendable {
    public typealias SchedulerOptions = Never
    public static let shared = ImmediateScheduler()
    public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
}

extension DispatchQueue: Scheduler {
    /// How a block is submitted.
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
