/// A request's head as the bytes that came, for answers that are not worth a string (`HTTPHandler.prepared`).
///
/// The memory is the server's and valid only during the call that hands the head over. The server has checked the grammar (a token as method, a
/// target that starts with `/` and holds printable ASCII, exactly one `Host`, no control characters); every byte is hostile all the same.
public struct HTTPRequestHead {
    /// One header field, as it came, without the white space around its value.
    public struct Field {
        public let name: UnsafeRawBufferPointer
        public let value: UnsafeRawBufferPointer
        public init(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            self.name = name
            self.value = value
        }
    }

    public let method: UnsafeRawBufferPointer
    /// The path of the request target, percent-encoding as it came.
    public let path: UnsafeRawBufferPointer
    /// The query without `?`, as it came; nil where there was none.
    public let query: UnsafeRawBufferPointer?
    /// All header fields in order.
    public let fields: UnsafeBufferPointer<Field>
    public let peer: HTTPPeer
    /// Whether the client speaks HTTP/1.0.
    public let isHTTP10: Bool

    public init(
        method: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer?,
        fields: UnsafeBufferPointer<Field>, peer: HTTPPeer, isHTTP10: Bool = false
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.peer = peer
        self.isHTTP10 = isHTTP10
    }

    /// The first value of a field, by name in any case.
    public func value(of name: StaticString) -> UnsafeRawBufferPointer? {
        for field in fields where field.name.equalsIgnoringCase(name) { return field.value }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are exactly these.
    public func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether the bytes are these, where ASCII letters in lower and upper case are the same.
    public func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].asciiLowercased != text.utf8Start[index].asciiLowercased { return false }
        return true
    }
}

extension UInt8 {
    /// The same letter in lower case; any other byte as it is.
    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
