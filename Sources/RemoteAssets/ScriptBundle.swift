/// Combines the modules of the page in few files, so that a browser needs few requests. The first file contains a module and all modules that it
/// imports. The later files contain the modules that the page loads by `import()`.
///
/// Each module becomes a block of code, in the order in which a browser would evaluate the modules. A block begins with constants for the imported
/// names, and ends with an object of the exported names. So the other modules do not see the names of a module, and no name has to be changed.
///
/// A later file exports a function. The first file calls this function and passes its own modules, so that both files use the same modules and each
/// module is evaluated once. A module that several later files import is in the first file, before the modules of that file.
struct ScriptBundle {
    /// The bytes of the first file. It is served at the path of the module `main`, instead of the module.
    let bytes: [UInt8]
    /// The later files. Each is served at the path of a module that `import()` names, instead of the module.
    let later: [(path: String, bytes: [UInt8])]
    /// The paths of the modules in all files, in the order of their evaluation. The modules of the later files are last.
    let paths: [String]

    /// Makes a bundle.
    /// - Parameters:
    ///   - main: The path of the module that the page loads.
    ///   - files: The page's files by their paths.
    init(of main: String, in files: [String: [UInt8]]) throws(PageError) {
        let plan = try Plan(of: main, in: files)
        let modules = plan.first + plan.later.flatMap(\.modules)
        let numbers = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($1.path, $0) })
        var text = "const $m = [], $address = (path) => new URL(path, new URL('\(Self.way(from: main))', import.meta.url)).href;\n"
        if !plan.later.isEmpty { text += Self.loader }
        for module in plan.first { text += try Self.block(module, modules, numbers) }
        bytes = Array(text.utf8)
        var later: [(path: String, bytes: [UInt8])] = []
        for (path, own) in plan.later {
            var text = "export const run = async ($m, $address, $load) => {\n"
            for module in own { text += try Self.block(module, modules, numbers) }
            text += "return $m[\(numbers[path] ?? 0)];\n};\n"
            later.append((path, Array(text.utf8)))
        }
        self.later = later
        paths = modules.map(\.path)
    }

    /// The function that replaces `import()`. If a file could not be loaded, the next call requests it again, at an address with another fragment:
    /// browsers remember for each address that its module could not be loaded (HTML, module map). The fragment is not sent to the server.
    private static let loader = """
        const $later = {}, $failures = {}, $load = (path) => $later[path] ??= import($address(path) + ($failures[path] ? '#' + $failures[path] : ''))
        .then(({ run }) => run($m, $address, $load))
        .catch((error) => { delete $later[path]; $failures[path] = ($failures[path] ?? 0) + 1; throw error; });

        """

    /// Returns a module as a block. The statements that are added to the module's code have no needless white space, like the code itself.
    private static func block(_ module: ScriptModule, _ modules: [ScriptModule], _ numbers: [String: Int]) throws(PageError) -> String {
        var constants: [String] = []
        for each in module.imports {
            guard let source = numbers[each.path] else { continue }
            if let whole = each.whole { constants.append("\(whole)=$m[\(source)]") }
            guard let names = each.names, !names.isEmpty else { continue }
            for (name, _) in names where !modules[source].exports.contains(where: { $0.name == name }) {
                throw PageError(path: module.path, reason: "the import of \(name), which \(each.path) does not export")
            }
            constants.append("{\(names.map { $0 == $1 ? $0 : "\($0):\($1)" }.joined(separator: ","))}=$m[\(source)]")
        }
        var text = constants.isEmpty ? "{\n" : "{const \(constants.joined(separator: ","));\n"
        text += String(decoding: module.code, as: UTF8.self)
        if !text.hasSuffix("\n") { text += "\n" }
        let exports = module.exports.map { export in
            if let source = export.source.flatMap({ numbers[$0] }) { return "\(export.name):$m[\(source)].\(export.local)" }
            return export.name == export.local ? export.name : "\(export.name):\(export.local)"
        }
        return text + "$m[\(numbers[module.path] ?? 0)]={\(exports.joined(separator: ","))};}\n"
    }

    /// Returns the relative path from a file to the page's folder.
    private static func way(from path: String) -> String {
        let depth = path.utf8.count(where: { $0 == UInt8(ascii: "/") })
        return depth == 0 ? "./" : String(repeating: "../", count: depth)
    }

    /// The division of the modules among the files: those of the first file, and those of each later one.
    private struct Plan {
        let first: [ScriptModule]
        let later: [(path: String, modules: [ScriptModule])]

        init(of main: String, in files: [String: [UInt8]]) throws(PageError) {
            var order = Order(files: files)
            try order.add(main, from: "index.html")
            let needed = Set(order.modules.map(\.path))
            // The modules of each later file that are not in the first one.
            var own: [(path: String, modules: [ScriptModule])] = []
            var waiting = order.modules
            while let module = waiting.popLast() {
                for path in module.later {
                    guard !needed.contains(path) else { throw Self.useless(path, in: module) }
                    guard !own.contains(where: { $0.path.utf8.elementsEqual(path.utf8) }) else { continue }
                    var order = Order(files: files)
                    try order.add(path, from: module.path)
                    let modules = order.modules.filter { !needed.contains($0.path) }
                    own.append((path, modules))
                    waiting += modules
                }
            }
            var uses: [String: Int] = [:]
            for module in own.flatMap(\.modules) { uses[module.path, default: 0] += 1 }
            let shared = Set(uses.filter { $0.value > 1 }.keys)
            for (path, modules) in own where shared.contains(path) {
                throw Self.useless(path, in: modules.last { $0.path.utf8.elementsEqual(path.utf8) } ?? modules[0])
            }
            // The shared modules (those that several later files contain) and their imports are evaluated first. If a module is shared, its imports
            // are shared too.
            var all = Order(files: files)
            for module in own.flatMap(\.modules) where shared.contains(module.path) { try all.add(module.path, from: main) }
            try all.add(main, from: "index.html")
            first = all.modules
            later = own.map { ($0.path, $0.modules.filter { !shared.contains($0.path) }) }.sorted { $0.path < $1.path }
        }

        private static func useless(_ path: String, in module: ScriptModule) -> PageError {
            PageError(path: module.path, reason: "import() of \(path), which other modules import too, so that it is not loaded later")
        }
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
