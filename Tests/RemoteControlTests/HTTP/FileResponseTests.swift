import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

/// Tests of responses with a file: byte ranges, compression and conditional requests (RFC 9110).
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

    // MARK: Parts (section 14)

    @Test(
        "one byte range gives 206 with the part, cut at the end of the file",
        arguments: [
            ("bytes=0-9", "0123456789", "0-9"), ("bytes=95-", "56789", "95-99"), ("bytes=-3", "789", "97-99"),
            ("bytes=90-1000", "0123456789", "90-99"),
            ("BYTES=0-0", "0", "0-0"), ("bytes= 1 - 2 ", "12", "1-2"), ("bytes=98-99999999999999999999", "89", "98-99"),
        ])
    func parts(_ field: String, _ body: String, _ range: String) async throws {
        let reply = await get(("Range", field))
        #expect(reply.status == 206)
        #expect(reply.text == body)
        #expect(reply.header("Content-Range") == "bytes \(range)/100")
        #expect(reply.header("ETag") == (await get()).header("ETag"))
    }

    @Test("a range that covers the whole file gives 206 too", arguments: ["bytes=0-", "bytes=0-99", "bytes=-100", "bytes=-1000"])
    func whole(_ field: String) async throws {
        let reply = await get(("Range", field))
        #expect(reply.status == 206)
        #expect(reply.text == Self.text)
        #expect(reply.header("Content-Range") == "bytes 0-99/100")
    }

    @Test("a range beyond the end gives 416 with the size", arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])
    func beyond(_ field: String) async throws {
        let reply = await get(("Range", field))
        #expect(reply.status == 416)
        #expect(reply.problem == "range-not-satisfiable")
        #expect(reply.header("Content-Range") == "bytes */100")
    }

    @Test(
        "several ranges, other units and malformed fields give the whole file (RFC 9110, 14.2)",
        arguments: ["bytes=0-1,3-4", "lines=0-1", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=--1", "bytes=0x1-2", "=", ""])
    func ignored(_ field: String) async throws {
        let reply = await get(("Range", field))
        #expect(reply.status == 200)
        #expect(reply.text == Self.text)
        #expect(reply.header("Accept-Ranges") == "bytes")
    }

    @Test("a range of an empty file gives 416")
    func empty() async throws {
        #expect(await get(("Range", "bytes=0-"), path: "/empty").status == 416)
        #expect(await get(path: "/empty").status == 200)
    }

    @Test("a range is honoured only if If-Range has the current tag")
    func condition() async throws {
        let tag = await get().header("ETag") ?? ""
        #expect(await get(("Range", "bytes=0-1"), ("If-Range", tag)).status == 206)
        for other in ["\"x\"", "W/" + tag, "Sat, 31 Jan 2026 12:00:00 GMT"] {
            #expect(await get(("Range", "bytes=0-1"), ("If-Range", other)).status == 200)
        }
    }

    @Test("HEAD ignores ranges, and If-None-Match takes precedence over them")
    func head() async throws {
        #expect(await get(("Range", "bytes=0-1"), method: "HEAD").status == 200)
        let tag = await get().header("ETag") ?? ""
        #expect(await get(("Range", "bytes=0-1"), ("If-None-Match", tag)).status == 304)
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

    @Test("a range always refers to the plain form")
    func partOfPlain() async throws {
        let reply = await get(("Accept-Encoding", "gzip"), ("Range", "bytes=0-1"))
        #expect(reply.text == "01")
        #expect(reply.header("Content-Encoding") == nil)
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

    @Test("artwork supports tags, ranges and HEAD")
    func artwork() async throws {
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///x") }
        rig.player.artworks.withLock { $0["e1"] = Artwork(mimeType: "image/png", data: [1, 2, 3, 4]) }
        let path = "/api/v1/items/e1/artwork"
        let tag = await get(path: path).header("ETag") ?? ""
        #expect(await get(("If-None-Match", tag), path: path).status == 304)
        #expect(await get(("Range", "bytes=1-2"), ("If-Range", tag), path: path).body == [2, 3])
        #expect(await get(path: path, method: "HEAD").status == 200)
    }
}
