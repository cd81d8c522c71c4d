/// One file with a module of the page and all modules that it imports, so that a browser needs one request for them.
///
/// Each module becomes a block, in the order in which a browser would evaluate them. A block begins with constants for the imported names, and ends
/// with an object of the exported ones. So names of one module are not seen in another, and a name is not changed anywhere.
struct ScriptBundle {
    /// The bytes of the file, which replaces the module `main` under its path.
    let bytes: [UInt8]
    /// The paths of the modules, in the order of their evaluation.
    let paths: [String]

    /// Makes a bundle.
    /// - Parameters:
    ///   - main: The path of the module that the page loads.
    ///   - files: The page's files by their paths.
    init(of main: String, in files: [String: [UInt8]]) throws(PageError) {
        var order = Order(files: files)
        try order.add(main, from: "index.html")
        let modules = order.modules
        let numbers = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($1.path, $0) })
        var text = "const $modules = [], $address = (path) => new URL(path, new URL('\(Self.way(from: main))', import.meta.url)).href;\n"
        for (number, module) in modules.enumerated() {
            text += "{\n"
            for each in module.imports {
                guard let source = numbers[each.path] else { continue }
                if let whole = each.whole { text += "const \(whole) = $modules[\(source)];\n" }
                guard let names = each.names, !names.isEmpty else { continue }
                for (name, _) in names where !modules[source].exports.contains(where: { $0.name == name }) {
                    throw PageError(path: module.path, reason: "the import of \(name), which \(each.path) does not export")
                }
                text += "const { \(names.map { $0 == $1 ? $0 : "\($0): \($1)" }.joined(separator: ", ")) } = $modules[\(source)];\n"
            }
            text += String(decoding: module.code, as: UTF8.self)
            if !text.hasSuffix("\n") { text += "\n" }
            let exports = module.exports.map { export in
                if let source = export.source.flatMap({ numbers[$0] }) { return "\(export.name): $modules[\(source)].\(export.local)" }
                return export.name == export.local ? export.name : "\(export.name): \(export.local)"
            }
            text += "$modules[\(number)] = { \(exports.joined(separator: ", ")) };\n}\n"
        }
        bytes = Array(text.utf8)
        paths = modules.map(\.path)
    }

    /// Returns the relative path from a file to the page's folder.
    private static func way(from path: String) -> String {
        let depth = path.utf8.count(where: { $0 == UInt8(ascii: "/") })
        return depth == 0 ? "./" : String(repeating: "../", count: depth)
    }

    /// The modules in the order of their evaluation: a module follows those that it imports.
    private struct Order {
        let files: [String: [UInt8]]
        private(set) var modules: [ScriptModule] = []
        private var known: Set<String> = []
        /// The modules whose imports are being added.
        private var open: [String] = []

        init(files: [String: [UInt8]]) { self.files = files }

        mutating func add(_ path: String, from importer: String) throws(PageError) {
            guard !open.contains(path) else {
                throw PageError(path: importer, reason: "the import of \(path), which imports \(importer) in turn (\(open.joined(separator: ", ")))")
            }
            guard known.insert(path).inserted else { return }
            guard let bytes = files[path] else { throw PageError(path: importer, reason: "the import of \(path), which does not exist") }
            let module = try ScriptModule(path: path, bytes: bytes)
            open.append(path)
            for each in module.imports { try add(each.path, from: path) }
            open.removeLast()
            modules.append(module)
        }
    }
}
