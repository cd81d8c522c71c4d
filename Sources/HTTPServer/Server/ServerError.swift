public import Platform

/// Why the server cannot start; `description` is one sentence for the user.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not `ADDRESS:PORT`.
    case malformedAddress(String)
    /// By another program.
    case addressInUse(String)
    /// No interface of this machine has it.
    case addressNotAvailable(String)
    /// For example a port below 1024.
    case permissionDenied(String)
    case system(SystemError)
    /// libmicrohttpd did not start, for this reason.
    case library(String)

    public var description: String {
        switch self {
        case .malformedAddress(let text):
            "\"\(text)\" is not an address to listen on. Give a numeric address and a port, such as 127.0.0.1:7711 or [::1]:7711."
        case .addressInUse(let address):
            "Cannot listen on \(address): the port is in use by another program."
        case .addressNotAvailable(let address):
            "Cannot listen on \(address): this machine does not have that address."
        case .permissionDenied(let address):
            "Cannot listen on \(address): permission denied; ports below 1024 are reserved."
        case .system(let error):
            "The HTTP server cannot start: \(error)."
        case .library(let message):
            "The HTTP server cannot start: \(message)."
        }
    }
}
