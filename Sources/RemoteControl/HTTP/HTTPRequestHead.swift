import Platform

/// A request's head (request line and header fields) as received bytes, for answers that must not create strings (`HTTPHandler.prepared`).
///
/// The memory of the head belongs to the server and is valid only during the call. The server has checked the grammar of the head: the method is a
/// token; the target starts with `/` and contains only printable ASCII; the head has exactly one `Host` and no control character. Even so, every byte
/// of the head may come from an attacker.
public struct HTTPRequestHead {
    /// One header field as received, without the white space around its value.
    public struct Field {
        public let name: UnsafeRawBufferPointer
        public let value: UnsafeRawBufferPointer
        public init(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            self.name = name
            self.value = value
        }
    }

    public let method: UnsafeRawBufferPointer
    /// The path of the request target, with the client's percent-encoding.
    public let path: UnsafeRawBufferPointer
    /// The query of the request target as received, without `?`; nil if the target has no query.
    public let query: UnsafeRawBufferPointer?
    /// All header fields in the order of the request.
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

    /// Returns the value of the first header field called `name`, regardless of case; nil if the head has no such field.
    public func value(of name: StaticString) -> UnsafeRawBufferPointer? {
        for field in fields where field.name.equalsIgnoringCase(name) { return field.value }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the received bytes equal the bytes of `text`.
    public func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
