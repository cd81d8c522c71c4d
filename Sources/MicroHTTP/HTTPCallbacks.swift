import CMicroHTTPD
import Glibc

// The functions that C calls. Each finds the object behind its context pointer and forwards the call to it.

/// Decides whether a client's connection is accepted.
func admitClient(_ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> MHD_Result {
    guard let context, let address, let client = SocketAddress(address, length: length) else { return .NO }
    return Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue().connections.admits(client.key) ? .YES : .NO
}

/// Creates the `Connection` object after a connection was accepted, and releases it before the connection is closed.
func connectionDidChange(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    if change == .CONNECTION_NOTIFY_STARTED {
        guard let descriptor = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_CONNECTION_FD)?.pointee.connect_fd,
            let address = clientAddress(connection)
        else { return }
        let service = Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue()
        slot.pointee = Unmanaged.passRetained(Connection(service: service, descriptor: descriptor, address: address)).toOpaque()
    } else if let object = slot.pointee {
        slot.pointee = nil
        Unmanaged<Connection>.fromOpaque(object).takeRetainedValue().closed()
    }
}

private func clientAddress(_ connection: OpaquePointer) -> SocketAddress? {
    guard let address = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee.client_addr else { return nil }
    // The library does not report the length. It stores as many bytes as the system returned for the family.
    let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
    return SocketAddress(address, length: socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size))
}

/// Receives the request line's target before the library parses it. The library passes the result to each later call for the request.
func readTarget(_ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?) -> UnsafeMutableRawPointer? {
    guard let target, let connection,
        let object = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_SOCKET_CONTEXT)?.pointee.socket_context
    else { return nil }
    Unmanaged<Connection>.fromOpaque(object).takeUnretainedValue().begin(target: UnsafeRawBufferPointer(start: target, count: strlen(target)))
    return object
}

/// Called when the head of a request is complete, for each part of its body, and when the body is complete.
func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let connection, let method, let version, let uploadSize, let object = request?.pointee else { return .NO }
    let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    uploadSize.pointee = 0
    return Unmanaged<Connection>.fromOpaque(object).takeUnretainedValue()
        .proceed(Connection.Call(connection: connection, method: method, version: version, upload: bytes))
}

/// Called at the end of a request, answered or not.
func requestDidComplete(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let object = request?.pointee else { return }
    Unmanaged<Connection>.fromOpaque(object).takeUnretainedValue().completed()
}

/// Called for each field of a request's head.
func readField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let context else { return .NO }
    let isTaken = Unmanaged<RequestReader>.fromOpaque(context).takeUnretainedValue()
        .take(name: UnsafeRawBufferPointer(start: name, count: nameSize), value: UnsafeRawBufferPointer(start: value, count: valueSize))
    return isTaken ? .YES : .NO
}

/// Leaves percent-encoding unchanged, because paths and queries are decoded once, by the code that interprets them.
func keepEscapes(_ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?) -> Int {
    text.map { strlen($0) } ?? 0
}

/// Called when the library no longer needs the body of an answer.
func releaseContent(_ content: UnsafeMutableRawPointer?) {
    if let content { Unmanaged<Answer.Content>.fromOpaque(content).release() }
}

/// Called with a message of the library.
func logLine(_ context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>?) {
    guard let context, let line else { return }
    var text = String(cString: line)
    while text.last?.isWhitespace == true { text.removeLast() }
    Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue().report(text)
}
