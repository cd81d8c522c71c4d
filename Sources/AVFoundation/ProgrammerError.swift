import Dispatch
import Foundation

/// Traps if the caller has broken a rule of the API. Prints the message also in optimized builds, in which `precondition` does not. Apple raises an
/// `NSInvalidArgumentException`, which programs should not catch.
func demand(
    _ isKept: @autoclosure () -> Bool, _ rule: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept() { fatalError(rule(), file: file, line: line) }
}

/// Identifies the main queue by a value that only it has: on Linux `DispatchQueue.main` is another object at each call, and any queue
/// may have its label.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// True for the main queue, but not for a queue that only targets it.
    static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mark) == true }

    /// True in a block of the main queue, which may run on any thread, and on the first thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}
