import Platform

struct RequestTarget: Sendable {
    /// The path, still percent-encoded, as the table of routes compares it.
    var path: String
    var parameters: [(name: String, value: String)]
    /// The greatest length of a parameter's name, in bytes.
    static let maximumNameLength = 64
    /// The greatest length of a value, in bytes of UTF-8: the maximum size of a request's head.
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

    /// Decodes the value of a parameter. `path` and `after` name files, so they may have any bytes except NUL: if not UTF-8, `path` becomes a `file:`
    /// URL, and `after` stays encoded.
    private static func value(_ encoded: Substring, of name: String) -> String? {
        if let text = PercentEncoding.decoded(encoded, plusIsSpace: true) { return text }
        guard let bytes = PercentEncoding.decodedBytes(encoded, plusIsSpace: true), !bytes.contains(0) else { return nil }
        switch name {
        case "path": return bytes.first == UInt8(ascii: "/") ? FilePath(bytes: bytes).url : nil
        case "after": return PercentEncoding.encoded(bytes, keeping: PercentEncoding.isUnreserved)
        default: return nil
        }
    }

    /// Refuses a parameter that is not known, or that occurs twice.
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

    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

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

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = try number(name, in: Double(range.lowerBound)...Double(range.upperBound)) else { return nil }
        guard let integer = Int(exactly: value) else {
            throw Problem(.invalidParameter, "\"\(name)\" must be an integer.", parameter: name)
        }
        return integer
    }
}
