import Dispatch
import Foundation

/// Identifies the main queue by a value that only it has: on Linux `DispatchQueue.main` is another object at each call, and any queue may have its
/// label.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// False for a queue that only targets the main queue.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mark) == true }

    /// In a block of the main queue, which may run on any thread, or on the first thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}
