/// The caller has broken a rule of the API. Prints the message also in optimized builds, in which `precondition` does not. Apple raises an
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
    /// With the class of this object.
    func demandMainQueue(_ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
        AVFoundation.demandMainQueue(Self.self, call, file: file, line: line)
    }
}
