import Platform

/// The field `If-Match` (RFC 9110, section 13.1.1).
struct IfMatch: Sendable {
    /// The greatest length of the value in a WebSocket command, in bytes.
    static let maximumLength = 8 << 10

    /// Whether the value is `*`, which every existing resource matches.
    private let isAny: Bool
    /// The tags without their quotes, and without weak tags, which match nothing.
    private let tags: [ArraySlice<UInt8>]

    /// Throws if the value is neither `*` nor a list of tags in quotes: no resource could ever match it.
    init(_ field: String) throws(Problem) {
        let bytes = Array(field.utf8)
        let malformed = Problem(.malformedRequest, "If-Match must be *, or entity tags in double quotes, separated by commas.")
        var rest = bytes[...].drop(while: \.isBlank)
        if rest.first == UInt8(ascii: "*") {
            guard rest.dropFirst().allSatisfy(\.isBlank) else { throw malformed }
            (isAny, tags) = (true, [])
            return
        }
        var found: [ArraySlice<UInt8>] = []
        var isEmpty = true
        // A list may have empty elements (RFC 9110, section 5.6.1.2).
        rest = rest.drop(while: Self.isSeparator)
        while !rest.isEmpty {
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\"") else { throw malformed }
            rest = rest.dropFirst()
            let tag = rest.prefix { $0 != UInt8(ascii: "\"") }
            guard tag.endIndex < rest.endIndex, tag.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw malformed }
            if !isWeak { found.append(tag) }
            isEmpty = false
            rest = rest[(tag.endIndex + 1)...].drop(while: \.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { throw malformed }
            rest = rest.drop(while: Self.isSeparator)
        }
        guard !isEmpty else { throw malformed }
        (isAny, tags) = (false, found)
    }

    /// - Parameter present: The present tag; nil if the resource does not exist.
    func require(_ present: ResourceTag?, of kind: ResourceTag.Kind) throws(Problem) {
        if let present, isAny || tags.contains(where: present.isMatched) { return }
        throw Problem(.preconditionFailed, "Read \(kind.path) again and repeat the change.", present: present)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte.isBlank || byte == UInt8(ascii: ",") }
}

extension RouteRequest {
    /// - Parameter present: The present tag; nil if the resource does not exist. It is computed only if the request has `If-Match`.
    func requireMatch(_ kind: ResourceTag.Kind, _ present: @autoclosure () -> ResourceTag?) throws(Problem) {
        guard let field = fields.ifMatch else { return }
        try IfMatch(field).require(present(), of: kind)
    }

    /// Refuses `If-Match` for a resource without a tag, so that no client believes that it is protected.
    func refuseMatch() throws(Problem) {
        guard fields.ifMatch == nil else { throw Problem(.preconditionFailed, "This resource has no entity tag. Send the change without If-Match.") }
    }
}
