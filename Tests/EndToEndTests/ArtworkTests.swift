import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Artwork")
    struct ArtworkTests {
        @Test("a large picture is scaled to the requested size with a tag that gives 304, and is unchanged without a size")
        func scaled() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 1, seed: 30).frames)
            let picture = folder.file("cover.jpg")
            try run("ffmpeg", ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=3000x2000", "-frames:v", "1", picture])
            let cover = ["-i", picture, "-map", "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic"]
            try folder.encode("noise.wav", to: "noise.flac", cover)
            let daemon = try Daemon(serving: ["--output", "null", "--media-root", folder.path])
            let item = try daemon.client.command("PUT", "/player/item?wait=10", ["url": folder.url("noise.flac")])
            let path = "/api/v1/items/\(try #require(item["id"] as? String))/artwork"

            let whole = try daemon.client.send("GET", path)
            #expect(Data(whole.body) == (try Data(contentsOf: URL(filePath: picture))))
            let small = try daemon.client.send("GET", path + "?size=300")
            #expect(small.status == 200)
            #expect(small.headers["content-type"] == "image/jpeg")
            #expect(small.headers["x-content-type-options"] == "nosniff")
            #expect(small.body.count < whole.body.count / 10)
            try folder.bytes("small.jpg", small.body)
            let sides = ["-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", folder.file("small.jpg")]
            #expect(try run("ffprobe", sides).trimmingCharacters(in: .whitespacesAndNewlines) == "300,200")

            let tag = try #require(small.headers["etag"])
            #expect(tag != whole.headers["etag"])
            #expect(try daemon.client.send("GET", path + "?size=300", headers: ["If-None-Match": tag]).status == 304)
            #expect(try daemon.client.send("GET", path + "?size=8").status == 400)
        }
    }
}
