/// Writes JSON pointers (RFC 6901).
enum JSONPointer {
    /// Returns the JSON pointer whose reference tokens are `steps`, starting at the document's root.
    static func text(_ steps: [String]) -> String { steps.reduce(into: "") { $0 += "/" + escaped($1) } }

    private static func escaped(_ step: String) -> String {
        var text = ""
        for scalar in step.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
