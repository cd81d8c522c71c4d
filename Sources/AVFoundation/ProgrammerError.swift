/// Ends the program where its author has broken a rule, and says which: in builds with optimization too, where `precondition` would say nothing.
/// Apple raises an `NSInvalidArgumentException` there, which nobody is to catch.
func demand(
    _ isKept: @autoclosure () -> Bool, _ rule: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept() { fatalError(rule(), file: file, line: line) }
}

/// Ends the program where a call that belongs to the main actor comes from elsewhere, and says which call and what to do.
///
/// The compiler refuses such calls only to code that it checks strictly: the classes are `@preconcurrency`, as Apple's. Without this the program would
/// go on with torn state until some check of the runtime ends it, without a word.
func demandMainQueue(_ type: Any.Type, _ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
    demand(
        MainQueue.isCurrent,
        "\(type).\(call) was called off the main queue: call it from the main actor (DispatchQueue.main.async, or await MainActor.run)",
        file: file, line: line)
}

extension KeyValueObserving {
    /// As the function of the same name, for the class that has the call.
    func demandMainQueue(_ call: StaticString = #function, file: StaticString = #fileID, line: UInt = #line) {
        AVFoundation.demandMainQueue(Self.self, call, file: file, line: line)
    }
}
