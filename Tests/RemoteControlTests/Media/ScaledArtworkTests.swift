import Dispatch
import PlaybackEngine
import Player
import Synchronization
import Testing

@testable import RemoteControl

@MainActor @Suite("Artwork in a requested size")
struct ScaledArtworkTests {
    let scaler = FakeScaler()
    let rig: TestRig
    let original = Artwork(mimeType: "image/png", data: [UInt8](0..<100))
    let path = "/api/v1/items/e1/artwork"

    init() throws {
        let scaler = scaler
        rig = try TestRig { $0.pictureScaler = scaler }
        rig.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///x", hasArtwork: true) }
        rig.player.picturesOfMedia["e1"] = original
        rig.player.artworks.withLock { $0["e1"] = original }
    }

    @Test("a picture is scaled to the size, with the media type of the result")
    func scaled() async throws {
        let reply = await rig.send("GET", path + "?size=32")
        #expect(reply.status == 200)
        #expect(reply.body == Array(original.data.prefix(32)))
        #expect(reply.header("Content-Type") == "image/jpeg")
        #expect(scaler.asked == [FakeScaler.Asked(data: original.data, size: 32)])
    }

    @Test("a picture that is not larger than the size is sent unchanged")
    func asItIs() async throws {
        let reply = await rig.send("GET", path + "?size=128")
        #expect(reply.body == original.data)
        #expect(reply.header("Content-Type") == "image/png")
    }

    @Test("a client that names the run of the server keeps the picture without asking again; another run has no effect")
    func kept() async throws {
        let epoch = "e0"
        for query in ["?size=32&epoch=\(epoch)", "?epoch=\(epoch)"] {
            let reply = await rig.send("GET", path + query)
            #expect(reply.status == 200 && reply.header("Cache-Control") == "private, max-age=31536000, immutable")
            let tag = try #require(reply.header("ETag"))
            let again = await rig.send("GET", path + query, headers: [("If-None-Match", tag)])
            #expect(again.status == 304 && again.header("Cache-Control") == "private, max-age=31536000, immutable")
        }
        for query in ["?size=32", "?size=32&epoch=another", "?epoch="] {
            #expect(await rig.send("GET", path + query).header("Cache-Control") == "no-cache", "\(query)")
        }
        #expect(await rig.send("GET", "/api/v1/items/e2/artwork?size=32&epoch=\(epoch)").header("Cache-Control") == "no-store")
    }

    @Test("HEAD has the header fields of GET")
    func head() async throws {
        let reply = await rig.send("GET", path + "?size=32")
        let head = await rig.send("HEAD", path + "?size=32")
        #expect(head.status == 200)
        #expect(head.header("ETag") == reply.header("ETag"))
        #expect(head.header("Content-Type") == "image/jpeg")
    }

    @Test("each size has its own tag, which gives 304 without scaling")
    func tags() async throws {
        let whole = try #require(await rig.send("GET", path).header("ETag"))
        let small = try #require(await rig.send("GET", path + "?size=32").header("ETag"))
        let large = try #require(await rig.send("GET", path + "?size=64").header("ETag"))
        #expect(Set([whole, small, large]).count == 3)
        let count = scaler.asked.count
        let other = try TestRig { $0.pictureScaler = scaler }
        other.player.change { $0.currentItem = PlayerState.Item(id: "e1", url: "file:///x", hasArtwork: true) }
        other.player.picturesOfMedia["e1"] = original
        let reply = await other.send("GET", path + "?size=32", headers: [("If-None-Match", small)])
        #expect(reply.status == 304)
        #expect(reply.header("ETag") == small)
        #expect(scaler.asked.count == count)
        #expect(await other.send("GET", path + "?size=32", headers: [("If-None-Match", large)]).status == 200)
    }

    @Test("a size that is no integer from 16 to 2048 is refused", arguments: ["", "15", "2049", "32.5", "-32", "abc", "1e3000", "032", "32&size=64"])
    func wrongSize(_ size: String) async throws {
        let reply = await rig.send("GET", path + "?size=" + size)
        #expect(reply.problem == "invalid-parameter")
        #expect(reply.json?["parameter"]?.text == "size")
        #expect(scaler.asked.isEmpty)
    }

    @Test("a result is reused, and a failure is not retried")
    func again() async throws {
        _ = await rig.send("GET", path + "?size=32")
        _ = await rig.send("GET", path + "?size=32")
        #expect(scaler.asked.count == 1)
        scaler.fail(PlaybackError(.corruptMedia, "The picture is damaged."))
        for _ in 0..<2 {
            let reply = await rig.send("GET", path + "?size=64")
            #expect(reply.status == 422)
            #expect(reply.problem == "artwork-not-scalable")
            #expect(reply.json?["detail"]?.text == "The picture is damaged.")
        }
        #expect(scaler.asked.count == 2)
    }

    @Test("the most recently used results are kept, up to 4 MiB")
    func capacity() async throws {
        let large = Artwork(mimeType: "image/jpeg", data: [UInt8](repeating: 1, count: 4 << 20))
        let pictures = ScaledPictures(scaler: scaler), first = 3 << 20, second = 2 << 20, third = 1 << 20
        for size in [first, first, second, third, second, first] {
            _ = try await pictures.picture(of: "e1", size: size, for: nil) { large }
        }
        // The picture of the first size was removed from memory for other sizes. So it is scaled again at its last request; the other repeats are
        // not.
        #expect(scaler.asked.map(\.size) == [first, second, third, first])
    }

    @Test("a picture that is no longer in memory is read from its medium before scaling; a missing one is not found")
    func readAgain() async throws {
        rig.player.artworks.withLock { $0 = [:] }
        #expect(await rig.send("GET", path + "?size=32").body == Array(original.data.prefix(32)))
        rig.player.artworks.withLock { $0 = [:] }
        rig.player.picturesOfMedia = [:]
        #expect(await rig.send("GET", path + "?size=64").problem == "artwork-not-found")
        #expect(await rig.send("GET", "/api/v1/items/e2/artwork?size=64").problem == "item-not-found")
    }

    @Test("without a scaler only the original picture is available")
    func withoutScaler() async throws {
        let plain = try TestRig()
        plain.player.artworks.withLock { $0["e1"] = original }
        #expect(await plain.send("GET", path + "?size=32").problem == "artwork-not-scalable")
        #expect(await plain.send("GET", path).status == 200)
    }

    @Test("a picture whose type could contain a script is sent as octet-stream, even if it need not be scaled")
    func hostileType() async throws {
        rig.player.artworks.withLock { $0["e1"] = Artwork(mimeType: "image/svg+xml", data: [1]) }
        #expect(await rig.send("GET", path + "?size=32").header("Content-Type") == "application/octet-stream")
    }

    @Test("pictures are scaled one at a time, and a client with too many requests is refused")
    func share() async throws {
        let gate = DispatchSemaphore(value: 0)
        scaler.hold(gate)
        let pictures = ScaledPictures(scaler: scaler), original = original
        let count = ScaledPictures.maximumPendingOfOne
        await withTaskGroup(of: ProblemCode?.self) { group in
            for size in 0...count {
                group.addTask {
                    do throws(Problem) {
                        _ = try await pictures.picture(of: "e1", size: 16 + size, for: "10.0.0.1") { original }
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            // One request is being scaled, and the maximum number of others wait. The remaining request is refused at once.
            #expect(await group.next() == .some(.tooManyRequests))
            #expect(scaler.asked.count <= 1)
            for _ in 0..<count { gate.signal() }
            for await code in group { #expect(code == nil) }
        }
        #expect(scaler.asked.count == count)
    }

    @Test("if the picture was evicted before its turn, the client is asked to retry")
    func gone() async throws {
        let pictures = ScaledPictures(scaler: scaler)
        let problem = await #expect(throws: Problem.self) { try await pictures.picture(of: "e1", size: 16, for: nil) { nil } }
        #expect(problem?.code == .tooManyRequests)
        #expect(problem?.retryAfter == 1)
    }
}
