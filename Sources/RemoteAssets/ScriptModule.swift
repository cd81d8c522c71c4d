/// An ES module of the page: its imports, its exports, and the rest of its code without comments.
///
/// A module is accepted only if its code does the same as a block in a larger file. So it imports and exports by name, never assigns to an export,
/// and has no default export. It has no `var`, which would be visible outside of the module's block, and the argument of each `import()` is a path in
/// quotes. Any other module is refused with the reason.
struct ScriptModule {
    struct Import {
        /// The path of the imported module in `web/`.
        let path: String
        /// The imported names with their local names. Empty for an import without names, which only evaluates the module (`import './x.js'`); nil for
        /// an import of the whole module (`import * as x`).
        let names: [(name: String, local: String)]?
        /// The local name of the whole module; nil if only names are imported.
        let whole: String?
    }
    struct Export {
        let name: String
        /// The name of the exported value in this module, or in the module `source` if that is not nil.
        let local: String
        /// The path of the module from which the name is exported again (`export { a } from './x.js'`); nil if the value is declared in this module.
        let source: String?
    }

    let path: String
    private(set) var imports: [Import] = []
    private(set) var exports: [Export] = []
    /// The paths of the modules that `import()` names.
    private(set) var later: [String] = []
    /// The code without imports, exports and comments.
    private(set) var code: [UInt8] = []
    /// The white space before the next token, reduced to one byte: a space or a line feed; nil if there is none.
    private var gap: UInt8?
    /// Whether the last token in `code` is punctuation. A string or a regular expression is no punctuation, although its last byte may be the same as
    /// that of a punctuation token.
    private var endsInMark = false
    /// The names that `let` declares outside of functions and blocks.
    private var variables: Set<String> = []

    /// Reads a module.
    init(path: String, bytes: [UInt8]) throws(PageError) {
        self.path = path
        var reader = Reader(tokens: try ScriptTokens.read(bytes, path: path))
        code.reserveCapacity(bytes.count)
        var depth = 0
        while let token = reader.next() {
            if token.is("{") || token.is("(") || token.is("[") { depth += 1 }
            if token.is("}") || token.is(")") || token.is("]") { depth -= 1 }
            guard token.kind == .word, !reader.isMember else {
                append(token)
                continue
            }
            switch token.text {
            case "import" where reader.peek?.is(".") == true: try address(&reader)
            case "import" where reader.peek?.is("(") == true: try readLater(&reader)
            case "import" where depth == 0: try readImport(&reader)
            case "export" where depth == 0: try readExport(&reader)
            case "import", "export": throw refused("import or export inside other code")
            case "var": throw refused("var, which would be seen by the other modules: use let or const")
            case "let" where depth == 0:
                if let name = reader.peek?.text { variables.insert(name) }
                append(token)
            case "$m", "$address", "$later", "$load", "$failures": throw refused("the name \(token.text), which the bundle uses")
            default: append(token)
            }
        }
        for export in exports where export.source == nil && variables.contains(export.local) {
            throw refused("the export of \(export.local), which may change: export a function that returns it")
        }
    }

    private func refused(_ reason: String) -> PageError { PageError(path: path, reason: reason) }

    /// Adds a token to the code. White space and comments before the token are shortened to one space or line feed, which is omitted beside
    /// punctuation that separates tokens by itself. Most line feeds stay, so that the line numbers in a browser's messages lead to short lines.
    private mutating func append(_ token: ScriptTokens.Token) {
        switch token.kind {
        case .gap: if gap == nil { gap = UInt8(ascii: " ") }
        case .lineGap: gap = UInt8(ascii: "\n")
        default:
            if let gap, let before = code.last {
                let isLine = gap == UInt8(ascii: "\n")
                let after: StaticString = isLine ? "{([,=:?&|" : "{}()[],;=:?&|<>!"
                let ahead: StaticString = isLine ? "})],.:?&|" : "{}()[],;=:?&|<>!"
                let isNeedless = (endsInMark && after.contains(before)) || (token.kind == .mark && ahead.contains(token.bytes.first ?? 0))
                if !isNeedless { code.append(gap) }
            }
            gap = nil
            endsInMark = token.kind == .mark
            code += token.bytes
        }
    }

    /// Reads `import.meta.url`, and replaces it by the address of this module.
    private mutating func address(_ reader: inout Reader) throws(PageError) {
        guard reader.take("."), reader.take(word: "meta"), reader.take("."), reader.take(word: "url") else {
            throw refused("import.meta without .url")
        }
        append(name: "$address", path: path)
    }

    /// Reads `import('./x.js')`, and replaces it by the function that loads a later file.
    private mutating func readLater(_ reader: inout Reader) throws(PageError) {
        guard reader.take("("), let source = reader.takeString(), reader.take(")") else {
            throw refused("import() of something else than a path in quotes")
        }
        let path = try resolved(source)
        later.append(path)
        append(name: "$load", path: path)
    }

    /// Adds the call of a function of the bundle.
    private mutating func append(name: String, path: String) {
        if let gap { code.append(gap) }
        (gap, endsInMark) = (nil, false)
        code += "\(name)('\(path)')".utf8
    }

    private mutating func readImport(_ reader: inout Reader) throws(PageError) {
        if let source = reader.takeString() {
            imports.append(Import(path: try resolved(source), names: [], whole: nil))
        } else if reader.take("*") {
            guard reader.take(word: "as"), let name = reader.takeWord() else { throw refused("an import without a name") }
            imports.append(Import(path: try source(&reader), names: nil, whole: name))
        } else if reader.take("{") {
            let names = try names(&reader)
            imports.append(Import(path: try source(&reader), names: names.map { ($0.first, $0.second) }, whole: nil))
        } else {
            throw refused("the import of a default: import by name")
        }
        try end(&reader)
    }

    private mutating func readExport(_ reader: inout Reader) throws(PageError) {
        if reader.take("{") {
            let names = try names(&reader)
            var path: String?
            if reader.peek?.is(word: "from") == true {
                path = try source(&reader)
                imports.append(Import(path: path ?? "", names: [], whole: nil))
            }
            exports += names.map { Export(name: $0.second, local: $0.first, source: path) }
            return try end(&reader)
        }
        let tokens = reader.following(4)
        let keyword = tokens.first?.text ?? ""
        guard tokens.count == 4, let place = ["function": 1, "class": 1, "const": 1, "async": 2][keyword] else {
            throw refused("export \(keyword): export a function, a class, a constant, or names")
        }
        guard keyword != "async" || tokens[1].is(word: "function") else { throw refused("export async without function") }
        let token = tokens[place].is("*") ? tokens[place + 1] : tokens[place]
        guard token.kind == .word else { throw refused("the export of a pattern: export one constant with one name") }
        if keyword == "const", reader.declaresMore { throw refused("export const with several names: export each one by itself") }
        exports.append(Export(name: token.text, local: token.text, source: nil))
        reader.skipGap()
    }

    /// Reads the names of `{ a, b as c }` after the opening brace.
    private func names(_ reader: inout Reader) throws(PageError) -> [(first: String, second: String)] {
        var names: [(String, String)] = []
        while !reader.take("}") {
            guard let first = reader.takeWord() else { throw refused("a list of names with something else") }
            guard first != "default" else { throw refused("a default export: export by name") }
            let second = reader.take(word: "as") ? reader.takeWord() : first
            guard let second, second != "default" else { throw refused("a list of names with something else") }
            names.append((first, second))
            if !reader.take(","), reader.peek?.is("}") != true { throw refused("a list of names with something else") }
        }
        return names
    }

    private func source(_ reader: inout Reader) throws(PageError) -> String {
        guard reader.take(word: "from"), let source = reader.takeString() else { throw refused("an import without a path") }
        return try resolved(source)
    }

    private func end(_ reader: inout Reader) throws(PageError) {
        guard reader.take(";") else { throw refused("an import or export of names without a semicolon") }
    }

    /// Returns the path in `web/` of the file that an import of this module names by a relative path.
    private func resolved(_ source: String) throws(PageError) -> String {
        guard source.hasPrefix("./") || source.hasPrefix("../") else { throw refused("the import of \(source), which is not a relative path") }
        var folders = path.split(separator: "/").dropLast()
        for part in source.split(separator: "/") where part != "." {
            if part == ".." {
                guard folders.popLast() != nil else { throw refused("the import of \(source), which is outside of the page") }
            } else {
                folders.append(part)
            }
        }
        return folders.joined(separator: "/")
    }

    private struct Reader {
        let tokens: [ScriptTokens.Token]
        private var index = 0
        /// Whether the word that was returned last follows a dot, so that it is the name of a member; three dots do not count.
        private(set) var isMember = false
        private var dots = 0

        init(tokens: [ScriptTokens.Token]) { self.tokens = tokens }

        mutating func next() -> ScriptTokens.Token? {
            guard index < tokens.count else { return nil }
            let token = tokens[index]
            index += 1
            if token.kind != .gap, token.kind != .lineGap {
                isMember = dots == 1
                dots = token.is(".") ? dots + 1 : 0
            }
            return token
        }

        mutating func skipGap() {
            while index < tokens.count, tokens[index].kind == .gap || tokens[index].kind == .lineGap { index += 1 }
        }

        /// The next token that is not a gap.
        var peek: ScriptTokens.Token? { following(1).first }

        /// Returns the next `count` tokens that are not gaps, or all that are left if these are fewer.
        func following(_ count: Int) -> [ScriptTokens.Token] {
            Array(tokens[index...].lazy.filter { $0.kind != .gap && $0.kind != .lineGap }.prefix(count))
        }

        /// Whether the declaration that begins with the next token has a comma outside of all brackets, before its semicolon.
        var declaresMore: Bool {
            var depth = 0
            for token in tokens[index...] {
                if token.is("{") || token.is("(") || token.is("[") { depth += 1 }
                if token.is("}") || token.is(")") || token.is("]") { depth -= 1 }
                if depth == 0, token.is(";") { return false }
                if depth == 0, token.is(",") { return true }
            }
            return false
        }

        mutating func take(_ mark: Unicode.Scalar) -> Bool { take { $0.is(mark) } != nil }
        mutating func take(word: StaticString) -> Bool { take { $0.is(word: word) } != nil }
        mutating func takeWord() -> String? { take { $0.kind == .word }?.text }
        mutating func takeString() -> String? {
            take { $0.kind == .string }.map { String(decoding: $0.bytes.dropFirst().dropLast(), as: UTF8.self) }
        }

        private mutating func take(_ isWanted: (ScriptTokens.Token) -> Bool) -> ScriptTokens.Token? {
            guard let token = peek, isWanted(token) else { return nil }
            skipGap()
            return next()
        }
    }
}

extension StaticString {
    /// Whether the bytes of an ASCII text contain a byte.
    fileprivate func contains(_ byte: UInt8) -> Bool { withUTF8Buffer { $0.contains(byte) } }
}
