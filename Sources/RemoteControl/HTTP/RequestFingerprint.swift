/// The content of a request as 32 bytes: the operation, its parameters and its body. Two requests with the same fingerprint ask for the same, over
/// HTTP or a WebSocket.
///
/// The fingerprint is SHA-256 of an unambiguous encoding, so that a client cannot construct two requests with the same fingerprint.
struct RequestFingerprint: Equatable, Sendable {
    private let bytes: [UInt8]

    init(_ request: RouteRequest, _ operation: String) {
        var content = FingerprintContent()
        content.append(Array(operation.utf8))
        for (name, value) in request.variables.sorted(by: { $0.key < $1.key }) { content.append(name, value) }
        content.append(Array("?".utf8))
        for (name, value) in request.target.parameters.sorted(by: { $0.name < $1.name }) { content.append(name, value) }
        content.append(Array("{".utf8))
        // The body is compared as a value, because many programs write the members in another order when they repeat a request. No body counts
        // as no members.
        if request.request.body.isEmpty {
            content.append(.object([]))
        } else if let value = try? JSONParser.parse(request.request.body) {
            content.append(value)
        } else {
            content.append(request.request.body)
        }
        bytes = content.hash(for: "tonearm request 1")
    }
}

/// The identity of a request's client, as 32 bytes that reveal no secret.
///
/// A browser is recognised by its cookie and its name. A program is recognised by the token and its name (`Tonearm-Client`), from any address;
/// without a name, by the token and its network. A client without credentials is recognised by its network and its name.
struct ClientIdentity: Equatable, Sendable {
    private let bytes: [UInt8]

    init(_ request: RouteRequest) {
        var content = FingerprintContent()
        let peer = request.request.peer
        let network = Array((peer.isLoopback ? "loopback" : peer.network).utf8)
        switch request.credential {
        case .cookie(let value): content.append(Array("cookie".utf8), Array(value.utf8))
        case .token(let token) where request.fields.client != nil: content.append(Array("token".utf8), Array(token.utf8))
        case .token(let token):
            content.append(Array("nameless".utf8), Array(token.utf8))
            content.append(network)
        case nil: content.append(Array("network".utf8), network)
        }
        content.append(Array(request.origin.utf8))
        bytes = content.hash(for: "tonearm client 1")
    }
}

/// The bytes of several values. Each is preceded by its kind and its length, so that different values have different bytes.
private struct FingerprintContent {
    private var bytes: [UInt8] = []

    mutating func append(_ part: [UInt8]...) { for part in part { append(0, part) } }

    mutating func append(_ name: String, _ value: String) { append(Array(name.utf8), Array(value.utf8)) }

    /// Appends a value, independent of the order of members.
    mutating func append(_ value: JSONValue) {
        switch value {
        case .null: append(1, [])
        case .bool(let value): append(2, [value ? 1 : 0])
        case .number(let number): append(3, Array(number.text.utf8))
        case .string(let text): append(4, Array(text.utf8))
        case .array(let elements):
            append(5, elements.count)
            for element in elements { append(element) }
        case .object(let members):
            append(6, members.count)
            for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                append(0, Array(member.name.utf8))
                append(member.value)
            }
        }
    }

    private mutating func append(_ kind: UInt8, _ content: [UInt8]) {
        append(kind, content.count)
        bytes += content
    }

    private mutating func append(_ kind: UInt8, _ count: Int) {
        bytes.append(kind)
        withUnsafeBytes(of: UInt64(count).littleEndian) { bytes.append(contentsOf: $0) }
    }

    func hash(for purpose: String) -> [UInt8] { MessageAuthentication.sha256(key: Array(purpose.utf8), message: bytes) }
}
