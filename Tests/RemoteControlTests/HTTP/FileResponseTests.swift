import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of responses with a file: compression and conditional requests (RFC 9110).
@MainActor @Suite struct FileResponseTests {
    private static let text = String(repeating: "0123456789", count: 10)
    private nonisolated static let packed: [UInt8] = [0x1F, 0x8B, 1, 2, 3]
    private let rig: TestRig

    init() throws {
        rig = try TestRig {
            $0.web = StaticFiles([
                "/index.html": StaticFiles.File(contentType: "text/html", bytes: Array(Self.text.utf8), compress: { _ in Self.packed }),
                "/tiny.txt": StaticFiles.File(contentType: "text/plain", bytes: [0x61], compress: { _ in Self.packed }),
                "/plain.png": StaticFiles.File(contentType: "image/png", bytes: [1, 2, 3]),
                "/empty": StaticFiles.File(contentType: "text/plain", bytes: []),
            ])
        }
    }

    private func get(_ headers: (String, String)..., path: String = "/", method: String = "GET") async -> Reply {
        await rig.send(method, path, headers: headers)
    }

    // MARK: Whole

    @Test("a range is ignored: the answer is the whole file (RFC 9110, section 14.2)", arguments: ["bytes=0-9", "bytes=100-", "bytes"])
    func ranges(_ field: String) async throws {
        let reply = await get(("Range", field))
        #expect(reply.status == 200 && reply.text == Self.text && reply.header("Accept-Ranges") == nil)
    }

    @Test("an empty file is sent")
    func empty() async throws {
        #expect(await get(path: "/empty").status == 200)
    }

    // MARK: Compressed (section 12.5.3)

    @Test("gzip is sent to clients that accept it, with a tag", arguments: ["gzip", "deflate, gzip", "GZIP;q=0.5", "*", "x-gzip", "br, gzip; q=1.0"])
    func gzip(_ field: String) async throws {
        let reply = await get(("Accept-Encoding", field))
        #expect(reply.body == Self.packed)
        #expect(reply.header("Content-Encoding") == "gzip")
        #expect(reply.header("Vary") == "Accept-Encoding")
        let plain = await get()
        #expect(reply.header("ETag") != plain.header("ETag"))
        #expect(await get(("Accept-Encoding", field), ("If-None-Match", reply.header("ETag") ?? "")).status == 304)
        #expect(await get(("Accept-Encoding", field), ("If-None-Match", plain.header("ETag") ?? "")).status == 200)
    }

    @Test("other clients receive the plain form", arguments: ["", "identity", "br", "gzip;q=0", "gzip; q=0.0", "*;q=0", "gzipped", "gzip;q=x"])
    func plain(_ field: String) async throws {
        let reply = await get(("Accept-Encoding", field))
        #expect(reply.text == Self.text)
        #expect(reply.header("Content-Encoding") == nil)
        #expect(reply.header("Vary") == "Accept-Encoding")
    }

    @Test("a file is sent uncompressed if compression would not make it smaller or if it has no compressed form")
    func useless() async throws {
        #expect(await get(("Accept-Encoding", "gzip"), path: "/tiny.txt").text == "a")
        let picture = await get(("Accept-Encoding", "gzip"), path: "/plain.png")
        #expect(picture.body == [1, 2, 3])
        #expect(picture.header("Vary") == nil)
    }

    @Test("304 repeats the fields of the full response, because they replace the cached ones: the page needs its policy (RFC 9111, 4.3.4)")
    func policyOfNotModified() async throws {
        for (path, encoding) in [("/", "gzip"), ("/", "identity"), ("/plain.png", "gzip")] {
            let full = await get(("Accept-Encoding", encoding), path: path)
            let known = await get(("Accept-Encoding", encoding), ("If-None-Match", full.header("ETag") ?? ""), path: path)
            #expect(known.status == 304)
            for name in ["Content-Security-Policy", "Cache-Control", "ETag", "Vary", "Referrer-Policy"] {
                #expect(known.header(name) == full.header(name), "\(name)")
            }
        }
    }

    @Test("files and the state are revalidated on each use; other responses of the API are not stored")
    func caching() async throws {
        #expect(await get().header("Cache-Control") == "no-cache")
        #expect(await rig.send("GET", "/openapi.yaml").header("Cache-Control") == "no-cache")
        #expect(await rig.send("GET", "/api/v1/player").header("Cache-Control") == "no-cache")
        #expect(await rig.send("GET", "/api/v1/player/time").header("Cache-Control") == "no-store")
        #expect(await rig.send("GET", "/api/v1/nothing").header("Cache-Control") == "no-store")
    }

    @Test("artwork supports tags and HEAD")
    func artwork() async throws {
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///x") }
        rig.player.artworks.withLock { $0["e1"] = Artwork(mimeType: "image/png", data: [1, 2, 3, 4]) }
        let path = "/api/v1/items/e1/artwork"
        let tag = await get(path: path).header("ETag") ?? ""
        #expect(await get(("If-None-Match", tag), path: path).status == 304)
        #expect(await get(path: path, method: "HEAD").status == 200)
    }
}
