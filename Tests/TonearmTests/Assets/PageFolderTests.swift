import Foundation
import Testing

@testable import tonearm

@Suite("The page's folder")
struct PageFolderTests {
    private static let index = #"<link rel="stylesheet" href="css/index.css"><script type="module" src="js/main.js"></script><a href="openapi.yaml">"#

    private func folder(_ files: [String: String]) -> PageFolder {
        PageFolder(files.map { (path: $0.key, bytes: Array($0.value.utf8)) }.sorted { $0.path < $1.path })
    }

    private func text(_ folder: PageFolder, _ path: String) throws -> String {
        String(decoding: try #require(folder.files.first { $0.path == path }).bytes, as: UTF8.self)
    }

    private let files = [
        "index.html": Self.index, "js/main.js": "1;", "css/index.css": "b{}", "icon.svg": "<svg/>", "sw.js": "1", "manifest.webmanifest": "{}",
    ]

    @Test("the page refers to its files in the folder; other addresses stay")
    func links() throws {
        let folder = folder(files)
        #expect(folder.name.count == 16)
        let name = folder.name
        #expect(
            try text(folder, "index.html")
                == "<link rel=\"stylesheet\" href=\"\(name)/css/index.css\"><script type=\"module\" src=\"\(name)/js/main.js\"></script>"
                + "<a href=\"openapi.yaml\">")
        #expect(folder.files.filter(\.isImmutable).map(\.path) == ["css/index.css", "icon.svg", "js/main.js"].map { name + "/" + $0 })
        #expect(try text(folder, name + "/css/index.css") == "b{}")
    }

    @Test("every file is available under its plain path too, and may change there")
    func plain() throws {
        let folder = folder(files)
        for path in files.keys { #expect(folder.files.contains { $0.path == path && !$0.isImmutable }, "\(path)") }
    }

    @Test("the list of files names the page and everything in the folder")
    func list() throws {
        let folder = folder(files)
        let list = try #require(try JSONSerialization.jsonObject(with: Data(text(folder, "files.json").utf8)) as? [String: Any])
        #expect(list["folder"] as? String == folder.name)
        #expect(list["files"] as? [String] == ["./"] + folder.files.filter(\.isImmutable).map(\.path))
    }

    @Test("the folder has another name if a file that is in it changes, and the same name otherwise")
    func names() throws {
        let name = folder(files).name
        #expect(folder(files).name == name)
        for path in ["js/main.js", "css/index.css", "icon.svg"] {
            var changed = files
            changed[path] = "2"
            #expect(folder(changed).name != name, "\(path)")
        }
    }

    /// Returns the sizes of files in bytes, plain and compressed.
    private func size(_ files: some Sequence<[UInt8]>) -> (plain: Int, compressed: Int) {
        files.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + (Gzip.compressed($1)?.count ?? $1.count)) }
    }

    @Test("the page has two scripts, of at most 170 kB, 62 kB compressed")
    func scriptBudget() {
        let scripts = RemoteAssets.files.filter { $0.path.hasPrefix("js/") && $0.path.hasSuffix(".js") }
        #expect(scripts.map(\.path) == ["js/early.js", "js/main.js"])
        let size = size(scripts.map(\.bytes))
        #expect(size.plain <= 170_000 && size.compressed <= 62_000, "\(size)")
    }

    @Test("in any language, the page loads at most 7 files, 275 kB, 87 kB compressed, to show the player")
    func startBudget() throws {
        let longest = try #require(RemoteAssets.files.filter { $0.path.hasSuffix(".json") }.max { $0.bytes.count < $1.bytes.count })
        // The icon of the home screen and what only the service worker needs are not loaded.
        let loaded = RemoteAssets.files.filter { path, _ in
            path == longest.path || !["json", "png", "webmanifest"].contains { path.hasSuffix("." + $0) } && path != "sw.js"
        }
        let size = size(loaded.map(\.bytes))
        #expect(loaded.count <= 7, "\(loaded.map(\.path))")
        #expect(size.plain <= 275_000 && size.compressed <= 87_000, "\(size)")
    }
}
