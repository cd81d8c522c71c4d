/// The content of a request as 32 bytes: the operation, its parameters and its body. Two requests with the same fingerprint ask for the same, over
/// HTTP or a WebSocket.
///
/// The fingerprint is SHA-256 of an unambiguous encoding, so that a client cannot construct two requests with the same fingerprint.
struct RequestFingerprint: Equatable, Sendable {
    private let bytes: [UInt8]

    init(_ request: RouteRequest, _ operation: String) {
        var content: [UInt8] = []
        // Each part is preceded by its length, so that different lists of parts have different bytes.
        func append(_ part: some Collection<UInt8>) {
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { content.append(contentsOf: $0) }
            content += part
        }
        append(operation.utf8)
        for (name, value) in request.variables.sorted(by: { $0.key < $1.key }) {
            append(name.utf8)
            append(value.utf8)
        }
        append("?".utf8)
        for (name, value) in request.target.parameters.sorted(by: { $0.name < $1.name }) {
            append(name.utf8)
            append(value.utf8)
        }
        append("{".utf8)
        // The body is compared as this server writes it, because a repetition over the other protocol (HTTP or WebSocket) may have other white space
        // and escapes. An empty body counts as an object without members.
        let body = request.request.body
        let value = try? body.isEmpty ? JSONValue.object([]) : JSONParser.parse(body)
        append(value.map { JSONWriter.text(of: $0) } ?? body)
        bytes = MessageAuthentication.sha256(key: Array("tonearm request 1".utf8), message: content)
    }
}

/// The identity of a request's client.
///
/// A browser is recognised by its cookie and its name. A program is recognised by the token and its name (`Tonearm-Client`), from any address;
/// without a name, by the token and its network. A client without credentials is recognised by its network and its name.
struct ClientIdentity: Equatable, Sendable {
    private let credential: Credential?
    private let network: String?
    private let origin: String

    init(_ request: RouteRequest) {
        credential = request.credential
        origin = request.origin
        let peer = request.request.peer
        switch request.credential {
        case .cookie: network = nil
        case .token where request.fields.client != nil: network = nil
        case .token, nil: network = peer.isLoopback ? "loopback" : peer.network
        }
    }
}
