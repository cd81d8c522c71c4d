/// Ends the program with a message if a caller has broken a rule of the API. The message is also printed in optimized builds, in which `precondition`
/// prints no message. Apple's API raises an `NSInvalidArgumentException` for a broken rule, which programs should not catch.
func demand(
    _ isKept: @autoclosure () -> Bool, _ rule: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept() { fatalError(rule(), file: file, line: line) }
}

/// Ends the program if a function of the main actor is called on another queue than the main queue. The message names the wrong call and the remedy.
///
/// The compiler rejects calls on another queue only in code with strict checking, because the classes are `@preconcurrency` like Apple's. Without
/// `demandMainQueue`, the program would continue with inconsistent state, until some check at run time ends the program without a message.
func demandMainQueue(_ type: Any.Type, _ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
    demand(
        MainQueue.isCurrent,
        "\(type).\(call) was called off the main queue: call it from the main actor (DispatchQueue.main.async, or await MainActor.run)",
        file: file, line: line)
}

extension KeyValueObserving {
    /// Calls the global `demandMainQueue` with the class of this object.
    func demandMainQueue(_ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
        AVFoundation.demandMainQueue(Self.self, call, file: file, line: line)
    }
}
