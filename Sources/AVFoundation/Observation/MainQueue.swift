import Dispatch
import Foundation

/// The main queue, on which the main actor runs: which queue it is, and whether this code runs on it.
///
/// It is told by a mark that only it carries. `DispatchQueue.main` is another object at each call on Linux, and anybody may give a queue its label.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether a queue is the main queue; not one that only targets it.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mark) == true }

    /// Whether this code runs on the main queue: as a block of it, which need not be on the first thread of the process, or on the first thread itself.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}
