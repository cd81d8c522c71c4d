import CMicroHTTPD
import Glibc

// libmicrohttpd calls these functions, mostly with a pointer to a Swift object.

func admitClient(_ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t) -> MHD_Result {
    guard let context, let address, let client = SocketAddress(address, length: length) else { return .NO }
    return Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue().connections.admits(client) ? .YES : .NO
}

/// Called after a connection was accepted, and before it is closed.
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
        slot.pointee = Unmanaged.passRetained(ClientConnection(service: service, descriptor: descriptor, address: address)).toOpaque()
    } else if let object = slot.pointee {
        slot.pointee = nil
        Unmanaged<ClientConnection>.fromOpaque(object).takeRetainedValue().closed()
    }
}

private func clientAddress(_ connection: OpaquePointer) -> SocketAddress? {
    guard let address = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_CLIENT_ADDRESS)?.pointee.client_addr else { return nil }
    // libmicrohttpd does not report the length, but stores the whole address.
    let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
    return SocketAddress(address, length: socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size))
}

/// Called when the request line was received. Returns the `ClientConnection`, which libmicrohttpd passes to each later call for the request.
func readTarget(_ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?) -> UnsafeMutableRawPointer? {
    guard let target, let connection,
        let object = CMicroHTTPD_connectionInfo(connection, .CONNECTION_INFO_SOCKET_CONTEXT)?.pointee.socket_context
    else { return nil }
    let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
    Unmanaged<ClientConnection>.fromOpaque(object).takeUnretainedValue().begin(target: bytes)
    // libmicrohttpd would also divide the query into parameters. Each takes 64 bytes of the connection's memory, and when there are no more, version
    // 0.9.75 overwrites the state of the connection whose refusal it has just begun. So it finds an empty query.
    if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) { UnsafeMutablePointer(mutating: target)[mark + 1] = 0 }
    return object
}

/// Called when the head is complete, for each part of the body, and when the body is complete.
func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?, _ uploadSize: UnsafeMutablePointer<Int>?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let connection, let method, let version, let uploadSize, let object = request?.pointee else { return .NO }
    let bytes = UnsafeRawBufferPointer(start: upload, count: upload == nil ? 0 : uploadSize.pointee)
    uploadSize.pointee = 0
    return Unmanaged<ClientConnection>.fromOpaque(object).takeUnretainedValue()
        .proceed(ClientConnection.Call(connection: connection, method: method, version: version, upload: bytes))
}

func requestDidComplete(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let object = request?.pointee else { return }
    Unmanaged<ClientConnection>.fromOpaque(object).takeUnretainedValue().completed()
}

func readField(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int, _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let context else { return .NO }
    let isTaken = Unmanaged<RequestReader>.fromOpaque(context).takeUnretainedValue()
        .take(name: UnsafeRawBufferPointer(start: name, count: nameSize), value: UnsafeRawBufferPointer(start: value, count: valueSize))
    return isTaken ? .YES : .NO
}

/// Returns the text unchanged: libmicrohttpd must not decode percent-encoding, because the code that interprets the text does.
func keepEscapes(_ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?) -> Int {
    text.map { strlen($0) } ?? 0
}

func releaseContent(_ content: UnsafeMutableRawPointer?) {
    if let content { Unmanaged<Answer.Content>.fromOpaque(content).release() }
}

func logLine(_ context: UnsafeMutableRawPointer?, _ line: UnsafePointer<CChar>?) {
    guard let context, let line else { return }
    var text = String(cString: line)
    while text.last?.isWhitespace == true { text.removeLast() }
    Unmanaged<HTTPService>.fromOpaque(context).takeUnretainedValue().report(text)
}
