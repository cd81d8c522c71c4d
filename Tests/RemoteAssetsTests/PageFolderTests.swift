import Foundation
import Testing

@testable import RemoteAssets

@Suite("The page's folder")
struct PageFolderTests {
    private static let index = #"<link rel="stylesheet" href="css/index.css"><script type="module" src="js/main.js"></script><a href="openapi.yaml">"#

    private func folder(_ files: [String: String]) throws(PageError) -> PageFolder {
        try PageFolder(files.map { (path: $0.key, bytes: Array($0.value.utf8)) }.sorted { $0.path < $1.path })
    }

    private func text(_ folder: PageFolder, _ path: String) throws -> String {
        String(decoding: try #require(folder.files.first { $0.path == path }).bytes, as: UTF8.self)
    }

    private let files = [
        "index.html": Self.index, "js/main.js": "import { a } from './a.js';\nconsole.log(a);\n", "js/a.js": "export const a = 1;\n",
        "css/index.css": "@import url(\"base.css\");\nb { color: red }\n", "css/base.css": "/* base */\na  { top: 0 }\n", "icon.svg": "<svg/>",
        "sw.js": "1", "manifest.webmanifest": "{}",
    ]

    @Test("the page refers to one script and one style sheet in the folder; other addresses stay")
    func links() throws {
        let folder = try folder(files)
        #expect(folder.name.count == 16)
        let name = folder.name
        #expect(
            try text(folder, "index.html")
                == "<link rel=\"stylesheet\" href=\"\(name)/css/index.css\"><script type=\"module\" src=\"\(name)/js/main.js\"></script>"
                + "<a href=\"openapi.yaml\">")
        #expect(folder.files.filter(\.isImmutable).map(\.path) == ["css/index.css", "icon.svg", "js/main.js"].map { name + "/" + $0 })
        #expect(try text(folder, name + "/css/index.css") == "a{top:0}\nb{color:red}\n")
    }

    @Test("a script that is no module stays as it is")
    func classic() throws {
        var files = files
        files["index.html"] = "<script src=\"js/early.js\"></script>" + Self.index
        files["js/early.js"] = "var early = 1; // a comment\n"
        let folder = try folder(files)
        #expect(try text(folder, folder.name + "/js/early.js") == files["js/early.js"])
        #expect(try text(folder, "index.html").contains("src=\"\(folder.name)/js/early.js\""))
    }

    @Test("every file is available under its plain path too, and may change there")
    func plain() throws {
        let folder = try folder(files)
        for path in files.keys { #expect(folder.files.contains { $0.path == path && !$0.isImmutable }, "\(path)") }
    }

    @Test("the list of files names the page and everything in the folder")
    func list() throws {
        let folder = try folder(files)
        let list = try #require(try JSONSerialization.jsonObject(with: Data(text(folder, "files.json").utf8)) as? [String: Any])
        #expect(list["folder"] as? String == folder.name)
        #expect(list["files"] as? [String] == ["./"] + folder.files.filter(\.isImmutable).map(\.path))
    }

    @Test("the folder has another name if a file that is in it changes, and the same name otherwise")
    func names() throws {
        let name = try folder(files).name
        #expect(try folder(files).name == name)
        for path in ["js/a.js", "css/base.css", "icon.svg"] {
            var changed = files
            changed[path] = path.hasSuffix(".js") ? "export const a = 2;\n" : "c{}"
            #expect(try folder(changed).name != name, "\(path)")
        }
    }

    @Test("white space beside punctuation is left out of style sheets, except where it has a meaning")
    func styleSpace() throws {
        let css = """
            a :hover > b,
              c { margin: 0 auto;
              width: calc(1px + 2px); content: " : " ; --x: 'a , b' c }
            @media (width >= 9px) and (hover) { d {} }
            """
        let folder = try folder(["index.html": Self.index, "js/main.js": "", "css/index.css": css])
        #expect(
            try text(folder, folder.name + "/css/index.css")
                == "a :hover>b,c{margin:0 auto;width:calc(1px + 2px);content:\" : \";--x:'a , b' c}@media (width>= 9px) and (hover){d{}}\n")
    }

    @Test("white space outside of strings is left out of JSON")
    func jsonSpace() throws {
        let json = #"{ "a": " \" b\\", "c" : 1 }"# + "\n"
        let folder = try folder(["index.html": Self.index, "js/main.js": "", "css/index.css": "", "js/lang/en.json": json])
        #expect(try text(folder, folder.name + "/js/lang/en.json") == #"{"a":" \" b\\","c":1}"#)
    }

    /// The files of the embedded page that browsers keep, by their paths in the folder, and `index.html`.
    private func embedded() throws -> [String: [UInt8]] {
        let folder = try PageFolder(RemoteAssets.files)
        let kept = folder.files.filter(\.isImmutable).map { (String($0.path.dropFirst(folder.name.count + 1)), $0.bytes) }
        return Dictionary(uniqueKeysWithValues: kept).merging(["index.html": Array(try text(folder, "index.html").utf8)]) { first, _ in first }
    }

    /// Returns the sizes of files in bytes, plain and compressed.
    private func size(_ files: some Sequence<[UInt8]>) -> (plain: Int, compressed: Int) {
        files.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + (Gzip.compressed($1)?.count ?? $1.count)) }
    }

    @Test("the embedded page is bundled: it has no scripts that it does not load")
    func used() throws {
        let files = try embedded()
        let first = String(decoding: try #require(files["js/main.js"]), as: UTF8.self)
        let page = String(decoding: try #require(files["index.html"]), as: UTF8.self)
        for path in files.keys where path.hasSuffix(".js") {
            #expect(first.contains("$load('\(path)')") || page.contains("/\(path)\""), "nothing imports \(path)")
        }
    }

    @Test("the scripts of the page have at most 260 kB, 80 kB compressed, of which 195 kB and 60 kB are loaded before the player is shown")
    func scriptBudget() throws {
        let scripts = try embedded().filter { $0.key.hasSuffix(".js") }
        let all = size(scripts.values)
        #expect(all.plain <= 260_000 && all.compressed <= 80_000, "\(all)")
        let first = size(scripts.filter { ["js/main.js", "js/early.js"].contains($0.key) }.values)
        #expect(first.plain <= 195_000 && first.compressed <= 60_000, "\(first)")
    }

    @Test("in any language, the page loads at most 7 files, 294 kB, 83 kB compressed, to show the player")
    func startBudget() throws {
        let files = try embedded()
        let languages = files.filter { $0.key.hasSuffix(".json") }
        let longest = try #require(languages.max { $0.value.count < $1.value.count })
        // The icon of the home screen and the later scripts are not loaded.
        let first = String(decoding: try #require(files["js/main.js"]), as: UTF8.self)
        let loaded = files.filter { path, _ in
            path == longest.key || (!path.hasSuffix(".json") && !path.hasSuffix("touch-icon.png") && !first.contains("$load('\(path)')"))
        }
        let size = size(loaded.values)
        #expect(loaded.count <= 7, "\(loaded.keys.sorted())")
        #expect(size.plain <= 294_000 && size.compressed <= 83_000, "\(size)")
    }

    @Test("Node accepts the files of the embedded page as modules")
    func syntax() throws {
        let folder = try PageFolder(RemoteAssets.files)
        for file in folder.files where file.isImmutable && file.path.hasSuffix(".js") {
            #expect(try Node.run(String(decoding: file.bytes, as: UTF8.self), "--check").status == 0, "\(file.path)")
        }
    }

    @Test(
        "a style sheet that has no form in one file is refused",
        arguments: [
            #"@import url("../base.css");"#, #"@import url("none.css");"#, #"@import url("index.css");"#, "@import url(base.css);",
            #"a{} @import url("base.css");"#, #"@import url("base.css") layer(x);"#, "/* open", #"a { content: "open }"#,
        ])
    func styles(_ text: String) {
        #expect(throws: PageError.self) { try folder(["index.html": Self.index, "js/main.js": "", "css/index.css": text, "css/base.css": "a{}"]) }
    }

    @Test("an import with a condition becomes a rule with that condition, and strings keep their spaces")
    func conditions() throws {
        let folder = try folder([
            "index.html": Self.index, "js/main.js": "", "css/base.css": #"a { content: "/*  */" }"#,
            "css/index.css": #"@import url("base.css") (min-width: 9px);"#,
        ])
        #expect(try text(folder, folder.name + "/css/index.css") == "@media (min-width:9px) {\na{content:\"/*  */\"}\n}\n")
    }
}
