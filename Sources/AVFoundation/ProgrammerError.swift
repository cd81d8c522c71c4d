import Dispatch
import Foundation

/// Traps if the caller has broken a rule of the API. Prints the message also in optimized builds, in which `precondition` does not. Apple raises an
/// `NSInvalidArgumentException`, which programs should not catch.
func demand(
    _ isKept: @autoclosure () -> Bool, _ rule: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept() { fatalError(rule(), file: file, line: line) }
}

/// Ends the program if a function of the main actor is called on another queue. The compiler rejects this only in code with strict checking, because
/// the classes are `@preconcurrency`; otherwise the state would become inconsistent.
func demandMainQueue(_ type: Any.Type, _ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
    demand(
        MainQueue.isCurrent,
        "\(type).\(call) was called off the main queue: call it from the main actor (DispatchQueue.main.async, or await MainActor.run)",
        file: file, line: line)
}

extension KeyValueObserving {
    /// Ends the program if it is called on another queue than the main queue; the message names the class of this object.
    func demandMainQueue(_ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
        AVFoundation.demandMainQueue(Self.self, call, file: file, line: line)
    }
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
