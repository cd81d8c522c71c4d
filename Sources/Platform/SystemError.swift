import Glibc

/// A call of the operating system that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the failed system call, such as `pthread_create`.
    public let operation: String
    /// The `errno` of the failed system call.
    public let code: Int32

    public init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// The system's sentence for the `errno` of the failed call.
    public var message: String { String(cString: strerror(code)) }
    public var description: String { "\(operation): \(message)" }
}
