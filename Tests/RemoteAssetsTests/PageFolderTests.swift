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
        #expect(try text(folder, name + "/css/index.css") == "a { top: 0 }\nb { color: red }\n")
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

    @Test("the embedded page is bundled: it has no other scripts than those it loads, and less than 260 KiB in all, 80 KiB compressed")
    func embedded() throws {
        let folder = try PageFolder(RemoteAssets.files)
        let served = folder.files.filter { $0.isImmutable || $0.path == "index.html" }
        let page = try text(folder, "index.html")
        for file in served where file.path.hasSuffix(".js") { #expect(page.contains("src=\"\(file.path)\""), "nothing imports \(file.path)") }
        // The icon of the home screen is not loaded by a page.
        let loaded = served.filter { !$0.path.hasSuffix("touch-icon.png") }
        #expect(loaded.map(\.bytes.count).reduce(0, +) <= 260 << 10)
        #expect(loaded.map { Gzip.compressed($0.bytes)?.count ?? $0.bytes.count }.reduce(0, +) <= 80 << 10)
    }

    @Test("Node accepts the bundle of the embedded page as a module")
    func syntax() throws {
        let folder = try PageFolder(RemoteAssets.files)
        #expect(try Node.run(text(folder, folder.name + "/js/main.js"), "--check").status == 0)
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
        #expect(try text(folder, folder.name + "/css/index.css") == "@media (min-width: 9px) {\na { content: \"/*  */\" }\n}\n")
    }
}
