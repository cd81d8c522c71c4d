/// The page about a kind of problem, in HTML. A problem's `type` leads to it (RFC 9457, section 3.1.1).
struct ProblemPage {
    let code: ProblemCode

    var html: String {
        let title = Self.escaped(code.title.unicodeScalars)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(title)</title>
            <h1>\(title)</h1>
            <p>\(Self.markup(code.explanation))</p>
            <p>Code <code>\(Self.escaped(code.name.unicodeScalars))</code>, status \(code.status).</p>
            </html>

            """
    }

    /// Text between two backquotes becomes code.
    static func markup(_ text: String) -> String {
        let parts = text.unicodeScalars.split(separator: "`", omittingEmptySubsequences: false).map(escaped)
        return parts.indices.map { index in
            if index.isMultiple(of: 2) { return parts[index] }
            return index == parts.count - 1 ? "`" + parts[index] : "<code>\(parts[index])</code>"
        }.joined()
    }

    private static func escaped(_ text: some Sequence<Unicode.Scalar>) -> String {
        text.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            default: String(scalar)
            }
        }.joined()
    }
}
