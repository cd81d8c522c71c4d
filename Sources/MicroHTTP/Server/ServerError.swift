public import Platform

/// The reason why the HTTP server cannot start. The `description` of a `ServerError` is one sentence for the user.
public enum ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The given text is not an address of the form `ADDRESS:PORT`.
    case malformedAddress(String)
    /// Another program already listens on the server's address.
    case addressInUse(String)
    /// No network interface of this machine has the server's address.
    case addressNotAvailable(String)
    /// The system does not permit this user to listen on the server's address, for example because the port is below 1024.
    case permissionDenied(String)
    /// A call of the operating system failed while the server started.
    case system(SystemError)
    /// libmicrohttpd did not start; the associated value is the reason as text.
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
