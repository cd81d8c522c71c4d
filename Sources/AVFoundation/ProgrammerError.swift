/// Ends the program where its author has broken a rule, and says which: in builds with optimization too, where `precondition` would say nothing.
/// Apple raises an `NSInvalidArgumentException` there, which nobody is to catch.
func demand(
    _ isKept: @autoclosure () -> Bool, _ rule: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isKept() { fatalError(rule(), file: file, line: line) }
}
