import CWslay

// The functions that the C library wslay calls. Each of them receives a pointer to a Swift object (`owner`), and calls a method of that object.

/// Receives bytes of a WebSocket frame that wslay has encoded.
func takeFrameBytes(_ bytes: UnsafePointer<UInt8>?, _ count: Int, _ flags: Int32, _ owner: UnsafeMutableRawPointer?) -> Int {
    guard let owner, let bytes else { return -1 }
    Unmanaged<FrameWriter>.fromOpaque(owner).takeUnretainedValue().take(UnsafeBufferPointer(start: bytes, count: count))
    return count
}

/// Gives wslay more bytes of a received WebSocket frame. Returns -1 if no received bytes are available.
func giveFrameBytes(_ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int, _ flags: Int32, _ owner: UnsafeMutableRawPointer?) -> Int {
    guard let owner, let buffer else { return -1 }
    let given = Unmanaged<FrameReader>.fromOpaque(owner).takeUnretainedValue().give(UnsafeMutableBufferPointer(start: buffer, count: count))
    return given > 0 ? given : -1
}
