/// One style sheet with the style sheets that it imports, without comments, so that a browser needs one request for them.
enum StyleBundle {
    /// Returns a style sheet in which each `@import` is replaced by the imported file. Imported files must be in the same folder, so that the
    /// relative addresses in them keep their meaning.
    static func bytes(of path: String, in files: [String: [UInt8]]) throws(PageError) -> [UInt8] { try bytes(of: path, in: files, below: []) }

    private static func bytes(of path: String, in files: [String: [UInt8]], below: [String]) throws(PageError) -> [UInt8] {
        guard let file = files[path] else { throw PageError(path: below.last ?? "index.html", reason: "the import of \(path), which does not exist") }
        guard !below.contains(path) else { throw PageError(path: path, reason: "an import of itself") }
        var rest = try shortened(file, path: path)[...]
        var result: [UInt8] = []
        while rest.starts(with: Array("@import".utf8)) {
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw PageError(path: path, reason: "an @import without a semicolon") }
            let parts = rest[..<end].split(separator: UInt8(ascii: "\""), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { throw PageError(path: path, reason: "an @import without a path in double quotes") }
            let name = String(decoding: parts[1], as: UTF8.self)
            guard !name.contains("/") else { throw PageError(path: path, reason: "the import of \(name), which is in another folder") }
            let folder = path.split(separator: "/").dropLast()
            let inner = try bytes(of: (folder + [Substring(name)]).joined(separator: "/"), in: files, below: below + [path])
            let condition = String(decoding: parts[2], as: UTF8.self).drop { $0 == ")" || $0 == " " }
            guard !condition.hasPrefix("layer"), !condition.hasPrefix("supports") else {
                throw PageError(path: path, reason: "an @import with \(condition): only conditions of @media are known")
            }
            result += condition.isEmpty ? inner : Array("@media \(condition) {\n".utf8) + inner + Array("}\n".utf8)
            rest = rest[(end + 1)...].drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
        }
        if rest.firstRange(of: Array("@import".utf8)) != nil { throw PageError(path: path, reason: "an @import after other rules") }
        return result + rest
    }

    /// Returns a style sheet without comments. White space is shortened to one byte, and omitted beside punctuation. A space before a colon stays,
    /// because without it `a :hover`, any element inside of `a`, would become `a:hover`.
    private static func shortened(_ bytes: [UInt8], path: String) throws(PageError) -> [UInt8] {
        var result: [UInt8] = []
        var offset = 0
        var gap: UInt8?
        // Whether the last byte of the result may be punctuation: it is not the end of a string.
        var endsInMark = false
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "/"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "*") {
                guard let end = bytes[(offset + 2)...].firstRange(of: Array("*/".utf8)) else {
                    throw PageError(path: path, reason: "a comment that does not end")
                }
                offset = end.upperBound
                gap = gap ?? UInt8(ascii: " ")
                continue
            }
            if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                gap = byte == UInt8(ascii: "\n") ? byte : gap ?? UInt8(ascii: " ")
                offset += 1
                continue
            }
            if let gap, let before = result.last, !(endsInMark && "{};,>:".utf8.contains(before)), !"{};,>".utf8.contains(byte) {
                result.append(gap)
            }
            (gap, endsInMark) = (nil, true)
            let start = offset
            offset += 1
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                while offset < bytes.count, bytes[offset] != byte { offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1 }
                guard offset < bytes.count else { throw PageError(path: path, reason: "a string that does not end") }
                offset += 1
                endsInMark = false
            }
            result += bytes[start..<offset]
        }
        if !result.isEmpty { result.append(UInt8(ascii: "\n")) }
        return result
    }
}
