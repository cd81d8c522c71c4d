import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    /// Streams of HTTP Live Streaming that ffmpeg makes, from a server to the samples that are heard or rendered.
    @Suite("HTTP Live Streaming", .serialized)
    struct StreamTests {
        private static let lossless = ["-c:a", "flac", "-strict", "-2", "-hls_segment_type", "fmp4"]
        private static let aac = ["-c:a", "aac", "-b:a", "128k", "-aac_pns", "0"]

        /// Returns the frames that the program renders, in 16 bits.
        private func render(_ folder: MediaFolder, _ arguments: String...) throws -> [Noise.Frame] {
            let samples = try rendered(folder, arguments)
            func sample(_ at: Int) -> Int16 { Int16(bitPattern: UInt16(samples[at]) | UInt16(samples[at + 1]) << 8) }
            return stride(from: 0, to: samples.count - 3, by: 4).map { Noise.Frame(left: sample($0), right: sample($0 + 2)) }
        }

        /// Returns the bytes of the samples that the program renders.
        private func rendered(_ folder: MediaFolder, _ arguments: [String]) throws -> [UInt8] {
            _ = try run(Daemon.binary.path, ["render", "-o", folder.file("out.wav")] + arguments)
            let wave = try Data(contentsOf: URL(filePath: folder.file("out.wav")))
            return [UInt8](wave[(try #require(wave.range(of: Data("data".utf8))).upperBound + 4)...])
        }

        @Test("FLAC in fragments of MP4 is rendered to the bit, also from a start on (R-HLS-01, R-HLS-02)")
        func lossless() throws {
            let folder = try MediaFolder(), noise = Noise(seconds: 8, seed: 46)
            try folder.wav("noise.wav", noise.frames)
            try folder.stream("noise.wav", as: "flac", Self.lossless)
            let server = try StreamServer(folder: folder.path), url = server.url("flac/list.m3u8")
            #expect(try render(folder, url) == noise.frames)
            for start in [1, 46_080, 200_003, noise.frames.count - 5] {
                #expect(try render(folder, url, "--start", "\(start)/44100") == Array(noise.frames[start...]), "\(start)")
            }
        }

        /// A form of segments with AAC.
        struct Form: CustomTestStringConvertible, Sendable {
            var name: String
            var arguments: [String] = []
            var isEncrypted = false
            var testDescription: String { name }
        }
        private static let forms = [
            Form(name: "transport stream"), Form(name: "fragments of MP4", arguments: ["-hls_segment_type", "fmp4"]),
            Form(name: "AES-128", isEncrypted: true),
        ]

        @Test("AAC is rendered as ffmpeg decodes the joined segments, to the bit (R-HLS-01, R-HLS-06)", arguments: forms)
        func decoded(_ form: Form) throws {
            let folder = try MediaFolder(), noise = Noise(seconds: 6, seed: 47)
            try folder.wav("noise.wav", noise.frames)
            try folder.stream("noise.wav", as: "plain", Self.aac + form.arguments)
            try folder.join("plain", to: "joined")
            try folder.encode("joined", to: "joined.raw", ["-f", "f32le", "-c:a", "pcm_f32le"])
            let expected = [UInt8](try Data(contentsOf: URL(filePath: folder.file("joined.raw"))))
            if form.isEncrypted {
                try folder.bytes("key.bin", Array(0..<16))
                try folder.bytes("key.info", "../key.bin\n\(folder.file("key.bin"))\n".utf8)
                try folder.stream("noise.wav", as: "stream", Self.aac + ["-hls_key_info_file", folder.file("key.info")])
            }
            let server = try StreamServer(folder: folder.path), url = server.url("\(form.isEncrypted ? "stream" : "plain")/list.m3u8")
            let samples = try rendered(folder, [url, "--sample-format", "f32"])
            // ffmpeg delivers the last packet whole, also if it states a shorter duration.
            #expect(samples.count >= noise.frames.count * 8 && expected.starts(with: samples))
            let start = 100_003
            #expect(try rendered(folder, [url, "--sample-format", "f32", "--start", "\(start)/44100"]).elementsEqual(samples.dropFirst(8 * start)))
        }

        @Test("a stream is described by inspect as complete or live")
        func description() throws {
            let folder = try MediaFolder()
            try folder.wav("noise.wav", Noise(seconds: 20, seed: 48).frames)
            try folder.stream("noise.wav", as: "aac", Self.aac)
            let server = try StreamServer(folder: folder.path)
            for (name, isLive) in [("list", false), ("live", true)] {
                let text = try run(Daemon.binary.path, ["inspect", "--json", server.url("aac/\(name).m3u8")])
                let facts = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
                #expect(facts["fileType"] as? String == "mpegts" && facts["codec"] as? String == "aac")
                #expect(facts["isLive"] as? Bool == isLive && (facts["duration"] == nil) == isLive)
            }
        }

        // MARK: Heard

        /// Expects that the frames of a part of the noise were heard: from some frame on, which is returned, to its end.
        @discardableResult private func checkHeard(_ sound: [Noise.Frame], _ noise: Noise) throws -> Int {
            // Audio that begins inside an item has a lead-in of 5 ms.
            let skipped = 1000
            try #require(sound.count > 2 * skipped)
            let position = try #require(noise.position(of: sound[skipped..<(skipped + 64)]))
            #expect(sound.count - skipped == noise.frames.count - position)
            #expect(SampleComparison.firstDifferenceOfSigns(sound[skipped...], noise.frames[position...]) == nil)
            return position - skipped
        }

        @Test("a stream is heard without a lost or repeated sample, and from the target of a seek on (R-HLS-02)")
        func heard() throws {
            let stage = try MediaStage(), noise = Noise(seconds: 6, seed: 49)
            try stage.folder.wav("noise.wav", noise.frames)
            try stage.folder.stream("noise.wav", as: "flac", Self.lossless)
            let server = try StreamServer(folder: stage.folder.path)
            let item = try stage.daemon.client.command("PUT", "/player/item?wait=20", ["url": server.url("flac/list.m3u8"), "play": true])
            #expect(item["isLive"] as? Bool == false && item["isSeekable"] as? Bool == true)
            try stage.waitForEnd(within: 40)
            let sound = try stage.heard()
            #expect(sound.count == noise.frames.count && SampleComparison.firstDifference(sound, noise.frames) == nil)
            #expect(stage.story.isUninterrupted, "\(stage.story)")

            let target = 150_001, recording = try #require(stage.server.recording), before = recording.frameCount
            try stage.daemon.client.command("POST", "/player/seek", ["exactTime": ["value": target, "timescale": Noise.rate]])
            try stage.daemon.client.command("POST", "/player/play")
            try stage.waitForEnd(within: 40)
            try #require(recording.waitForSilence(of: Noise.rate / 2))
            // The sound begins with the lead-in, whose first frames are silent.
            let start = try checkHeard(Heard(recording.samples(from: before)).sound, noise) + Noise.rate / 200
            #expect((target...(target + 20)).contains(start), "\(start)")
        }

        @Test("a live stream that stops for a while is heard on with the very sample, and its end ends the item (R-HLS-07)")
        func live() throws {
            let stage = try MediaStage(), noise = Noise(seconds: 30, seed: 50)
            try stage.folder.wav("noise.wav", noise.frames)
            try stage.folder.stream("noise.wav", as: "flac", Self.lossless)
            let server = try StreamServer(folder: stage.folder.path, silence: 4..<12)
            let item = try stage.daemon.client.command("PUT", "/player/item?wait=20", ["url": server.url("flac/live.m3u8"), "play": true])
            #expect(item["isLive"] as? Bool == true && item["duration"] == nil)
            try stage.waitForEnd(within: 90)
            let start = try checkHeard(stage.heard(), noise)
            // The first playlist has 12 segments, and playback begins with the one that is three target durations before its end.
            #expect(abs(Double(start) / Double(Noise.rate) - 8.5) < 1, "\(start)")
            #expect(stage.story.hasHealed, "\(stage.story)")
            let reason = stage.events.events("network").compactMap { ($0.object["network"] as? [String: Any])?["error"] as? [String: Any] }.first
            #expect(reason?["message"] as? String == "The live stream has stopped: its server adds no segments.")
        }
    }
}
