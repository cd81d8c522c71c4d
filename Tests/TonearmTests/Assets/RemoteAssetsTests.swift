import Foundation
import tonearm
import RemoteControl
import Testing

@Suite("The embedded page and contract")
struct RemoteAssetsTests {
    /// Four levels up.
    private static let checkout = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The files below web/, by their relative paths.
    private static func page() throws -> [String: [UInt8]] {
        let root = checkout.appending(path: "web", directoryHint: .isDirectory).standardizedFileURL
        let found = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey]))
        var files: [String: [UInt8]] = [:]
        for case let url as URL in found where try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
            files[String(url.standardizedFileURL.path.dropFirst(root.path.count)).trimmingPrefix("/").description] = Array(try Data(contentsOf: url))
        }
        return files
    }

    @Test("the page is embedded: its scripts and style sheets as bundles, every other file of web/ byte for byte")
    func page() throws {
        let bundles = ["css/dark.css", "css/index.css", "js/early.js", "js/main.js"]
        let page = try Self.page().filter { path, _ in path == "sw.js" || !path.hasSuffix(".js") && !path.hasSuffix(".css") }
        #expect(page["index.html"] != nil)
        #expect(RemoteAssets.files.map(\.path) == (page.keys + bundles).sorted())
        for file in RemoteAssets.files where !bundles.contains(file.path) { #expect(file.bytes == page[file.path], "\(file.path) differs") }
    }

    @Test("the contract is embedded in both forms, byte for byte")
    func contract() throws {
        #expect(RemoteAssets.openAPI == Array(try Data(contentsOf: Self.checkout.appending(path: "openapi.yaml"))))
        let json = Self.checkout.appending(path: "Sources/C/CRemoteAssets/bundle/openapi.json")
        #expect(RemoteAssets.openAPIJSON == Array(try Data(contentsOf: json)))
    }

    @Test("every embedded file has a specific media type")
    func contentTypes() {
        for file in RemoteAssets.files {
            #expect(StaticFiles.contentType(ofFileNamed: file.path) != "application/octet-stream", "\(file.path)")
        }
    }
}
