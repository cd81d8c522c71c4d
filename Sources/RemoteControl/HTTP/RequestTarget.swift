import Platform

/// The target of a request (its path and query), parsed and validated.
struct RequestTarget: Sendable {
    /// The path of the target, still percent-encoded, for comparison with the table of routes.
    var path: String
    /// The parameters of the target's query in their order, decoded from percent-encoding.
    var parameters: [(name: String, value: String)]
    /// The maximum length of a parameter's name, in bytes.
    static let maximumNameLength = 64
    /// The maximum length of a parameter's value, in bytes of UTF-8. It equals the maximum size of a request's head.
    static let maximumValueLength = 16_384

    init(path: String, parameters: [(name: String, value: String)]) {
        self.path = path
        self.parameters = parameters
    }

    init(_ request: HTTPRequest) throws(Problem) {
        guard request.path.utf8.first == UInt8(ascii: "/"), let decoded = PercentEncoding.decodedBytes(request.path) else {
            throw Problem(.malformedRequest, "The path of the request is malformed.")
        }
        guard !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Problem(.malformedRequest, "The path of the request contains a control character.")
        }
        guard String(validating: decoded, as: UTF8.self) != nil else { throw Problem(.malformedRequest, "The path of the request is not UTF-8.") }
        path = request.path
        parameters = []
        guard let query = request.query, !query.isEmpty else { return }
        for pair in query.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decoded(parts[0], plusIsSpace: true),
                let value = Self.value(parts.count > 1 ? parts[1] : "", of: name)
            else { throw Problem(.malformedRequest, "The query of the request is malformed.") }
            guard name.utf8.count <= Self.maximumNameLength else {
                throw Problem(.unknownParameter, "The name of a parameter has at most \(Self.maximumNameLength) bytes.")
            }
            parameters.append((name, value))
        }
    }

    /// Returns the decoded value of a parameter; nil if it is malformed. The values of `path` and `after` name files, and so may have any bytes
    /// except NUL. If they are not UTF-8, the value of `path` becomes its `file:` URL, and that of `after` stays percent-encoded.
    private static func value(_ encoded: Substring, of name: String) -> String? {
        if let text = PercentEncoding.decoded(encoded, plusIsSpace: true) { return text }
        guard let bytes = PercentEncoding.decodedBytes(encoded, plusIsSpace: true), !bytes.contains(0) else { return nil }
        switch name {
        case "path": return bytes.first == UInt8(ascii: "/") ? FilePath(bytes: bytes).url : nil
        case "after": return PercentEncoding.encoded(bytes, keeping: PercentEncoding.isUnreserved)
        default: return nil
        }
    }

    /// Throws a problem if the query has a parameter that is not in the list `known`, or has a parameter twice.
    func refuseUnknown(_ known: [String]) throws(Problem) {
        var seen: [String] = []
        for (name, _) in parameters {
            guard known.contains(name) else {
                throw Problem(.unknownParameter, "This path has no parameter with this name.", parameter: name)
            }
            guard !seen.contains(name) else { throw Problem(.invalidParameter, "The parameter is given twice.", parameter: name) }
            seen.append(name)
        }
    }

    /// Returns the value of the parameter `name`; nil if the query does not have the parameter.
    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Returns the value of a parameter as a finite number in `range`, written as in JSON; nil if the query does not have the parameter.
    func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let text = parameter(name) else { return nil }
        guard let value = try? JSONParser.parse(Array(text.utf8)), case .number(let number) = value, number.text == text,
            let double = number.double, range.contains(double)
        else {
            throw Problem(
                .invalidParameter, "\"\(name)\" must be a number from \(JSONWriter.text(range.lowerBound)) to \(JSONWriter.text(range.upperBound)).",
                parameter: name)
        }
        return double
    }

    /// Returns the value of a parameter as an integer in `range`, written as a number of JSON; nil if the query does not have the parameter.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = try number(name, in: Double(range.lowerBound)...Double(range.upperBound)) else { return nil }
        guard let integer = Int(exactly: value) else {
            throw Problem(.invalidParameter, "\"\(name)\" must be an integer.", parameter: name)
        }
        return integer
    }
}
