import Dispatch
import Foundation

/// The main queue, on which the main actor runs.
///
/// The main queue is identified by a queue-specific value (`DispatchSpecificKey`) that only the main queue has. On Linux `DispatchQueue.main` is a
/// different object at each call, and any queue may have the main queue's label.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Returns whether a queue is the main queue. Returns false for a queue that only has the main queue as its target.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mark) == true }

    /// Whether the caller runs on the main queue: in a block of the main queue, which may run on any thread, or on the first thread of the process.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}
