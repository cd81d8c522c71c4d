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
        // The body is compared as this server writes it, because the white space and the escapes of a repetition differ over HTTP and a WebSocket.
        // No body counts as no members.
        let body = request.request.body
        let value = try? body.isEmpty ? JSONValue.object([]) : JSONParser.parse(body)
        content.append(value.map { JSONWriter.text(of: $0) } ?? body)
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

/// The bytes of several parts. Each part is preceded by its length, so that different lists of parts have different bytes.
private struct FingerprintContent {
    private var bytes: [UInt8] = []

    mutating func append(_ parts: [UInt8]...) {
        for part in parts {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes += part
        }
    }

    mutating func append(_ name: String, _ value: String) { append(Array(name.utf8), Array(value.utf8)) }

    func hash(for purpose: String) -> [UInt8] { MessageAuthentication.sha256(key: Array(purpose.utf8), message: bytes) }
}
