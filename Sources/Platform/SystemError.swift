import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The function's name, such as `pthread_create`.
    public let operation: String
    /// The value of `errno`.
    public let code: Int32

    public init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// The system's sentence for the code.
    public var message: String { String(cString: strerror(code)) }
    public var description: String { "\(operation): \(message)" }
}
