import Foundation
import PlaybackTesting
import Testing

extension EndToEndTests {
    @Suite("Rendering and inspecting from the command line", .serialized)
    struct OfflineTests {
        private let folder: MediaFolder
        private let noise = Noise(seconds: 3, seed: 31)
        init() throws {
            folder = try MediaFolder()
            try folder.wav("noise.wav", noise.frames)
        }

        /// Runs `tonearm` to its end. Returns its exit status, its standard output and its standard error.
        private func tonearm(_ arguments: String..., output: URL? = nil) throws -> (status: Int32, output: Data, errors: String) {
            let process = Process(), out = Pipe(), errors = Pipe()
            process.executableURL = try Daemon.binary
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            process.standardError = errors
            if let output { process.standardOutput = try FileHandle(forWritingTo: output) } else { process.standardOutput = out }
            try process.run()
            try? out.fileHandleForWriting.close()
            let written = output == nil ? out.fileHandleForReading.readDataToEndOfFile() : Data()
            let messages = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit)
            return (process.terminationStatus, written, messages)
        }

        private func render(_ arguments: String...) throws -> [Noise.Frame] {
            let path = folder.file("out.wav")
            let process = Process()
            process.executableURL = try Daemon.binary
            process.arguments = ["render", "-o", path] + arguments
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            let data = try Data(contentsOf: URL(filePath: path))
            return try #require(WaveFile.frames(of: data))
        }

        @Test("lossless inputs are rendered exactly", arguments: [("noise.wav", []), ("x.flac", []), ("x.m4a", ["-c:a", "alac"])])
        func lossless(name: String, arguments: [String]) throws {
            if name != "noise.wav" {
                try run("ffmpeg", ["-nostdin", "-v", "error", "-i", folder.file("noise.wav")] + arguments + [folder.file(name)])
            }
            #expect(try render(folder.file(name)) == noise.frames)
        }

        @Test("24-bit input is rendered as 24 bits, exactly")
        func deep() throws {
            try folder.encode("noise.wav", to: "deep.wav", "-af", "volume=0.3333,aformat=sample_fmts=s32", "-c:a", "pcm_s24le")
            try folder.encode("deep.wav", to: "deep.flac", "-c:a", "flac")
            #expect(try tonearm("render", folder.file("deep.flac"), "-o", folder.file("out.wav")).status == 0)
            func raw(_ name: String) throws -> Data {
                try folder.encode(name, to: "raw.s24", "-f", "s24le", "-c:a", "pcm_s24le")
                return try Data(contentsOf: URL(filePath: folder.file("raw.s24")))
            }
            #expect(try raw("out.wav") == raw("deep.wav"))
            #expect(try raw("out.wav").count == noise.frames.count * 6)
            #expect(
                try run("ffprobe", ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", folder.file("out.wav")]) == "pcm_s24le\n")
        }

        @Test("several inputs are rendered in sequence without a gap")
        func joins() throws {
            let other = Noise(seconds: 1, seed: 32)
            try folder.wav("other.wav", other.frames)
            try folder.encode("other.wav", to: "other.flac", "-c:a", "flac")
            let joined = try render(folder.file("noise.wav"), folder.file("other.flac"), folder.file("noise.wav"))
            #expect(joined == noise.frames + other.frames + noise.frames)
        }

        @Test("a start is an exact position, and a duration is the length of the output")
        func cuts() throws {
            #expect(try render(folder.file("noise.wav"), "--start", "50001/44100") == Array(noise.frames[50_001...]))
            #expect(try render(folder.file("noise.wav"), "--start", "0:00:01", "--duration", "0.5") == Array(noise.frames[44_100..<66_150]))
        }

        @Test(
            "at another sample rate, the audio from a start is that of the complete rendering, to the bit (R-SEEK-01)", arguments: [48_000, 96_000])
        func convertedCuts(_ rate: Int) throws {
            func bytes(_ arguments: [String]) throws -> Data {
                let path = folder.file("out.wav")
                let parts = ["render", "-o", path, "--sample-rate", "\(rate)", "--sample-format", "f32"] + arguments
                _ = try run(Daemon.binary.path, parts)
                let data = try Data(contentsOf: URL(filePath: path))
                return try #require(WaveFile.body(of: data))
            }
            let whole = try bytes([folder.file("noise.wav")])
            #expect(whole.count == 3 * rate * 8)
            for start in [1, rate / 2 + 7, 2 * rate + 12_345, 3 * rate - 5] {
                #expect(try bytes([folder.file("noise.wav"), "--start", "\(start)/\(rate)"]) == whole.dropFirst(8 * start), "\(start)")
            }
        }

        @Test("MP3 rendered from a start equals the end of the complete rendering")
        func lossyCut() throws {
            try folder.encode("noise.wav", to: "x.mp3", "-b:a", "192k")
            let whole = try render(folder.file("x.mp3"), "--sample-format", "s16", "--dither", "none")
            let tail = try render(folder.file("x.mp3"), "--sample-format", "s16", "--dither", "none", "--start", "70000/44100")
            #expect(tail.count == whole.count - 70_000)
            #expect(try #require(SampleComparison.largestDifference(tail, whole[70_000...])) <= 1)
        }

        @Test("rate 2 halves the number of frames, and 0.5 doubles it", arguments: ["timeDomain", "spectral", "varispeed"])
        func rates(algorithm: String) throws {
            for (rate, expected) in [("2", noise.frames.count / 2), ("0.5", noise.frames.count * 2)] {
                let count = try render(folder.file("noise.wav"), "--rate", rate, "--algorithm", algorithm).count
                #expect(abs(count - expected) <= 1)
            }
        }

        @Test("an input that is also the output is refused and unchanged, and several inputs at a negative rate are refused")
        func refusals() throws {
            let before = try Data(contentsOf: URL(filePath: folder.file("noise.wav")))
            try FileManager.default.createSymbolicLink(atPath: folder.file("link.wav"), withDestinationPath: "noise.wav")
            let same = try tonearm("render", folder.file("noise.wav"), "-o", folder.file("link.wav"))
            #expect(same.status == 1 && same.errors.contains("is also the output"))
            #expect(try Data(contentsOf: URL(filePath: folder.file("noise.wav"))) == before)
            let reverse = try tonearm("render", folder.file("noise.wav"), folder.file("noise.wav"), "--rate", "-1", "-o", folder.file("out.wav"))
            #expect(reverse.status == 1 && reverse.errors.contains("one input"))
        }

        @Test("at a negative rate the whole input is rendered in reverse, from its end by default")
        func backwards() throws {
            #expect(try render(folder.file("noise.wav"), "--rate", "-1") == noise.frames.reversed())
        }

        @Test("loudness tags are applied, and R128 tags count 5 dB more than ReplayGain's")
        func loudness() throws {
            try folder.encode(
                "noise.wav", to: "tagged.flac", "-metadata", "REPLAYGAIN_TRACK_GAIN=-6.0206 dB", "-metadata", "REPLAYGAIN_ALBUM_GAIN=0 dB")
            #expect(try render(folder.file("tagged.flac")) == noise.frames)
            #expect(try render(folder.file("tagged.flac"), "--loudness", "album") == noise.frames)
            let halved = try render(folder.file("tagged.flac"), "--loudness", "track")
            #expect(halved.count == noise.frames.count)
            #expect(try #require(SampleComparison.largestDifference(halved, noise.frames, factor: 2)) <= 2)
            // The tag means −11.02 dB (in 1/256 dB), for a loudness of −23 LUFS. For the player's loudness of −18 LUFS this is −6.02 dB: a factor of
            // 1/2.
            try folder.encode("noise.wav", to: "x.opus", "-metadata", "R128_TRACK_GAIN=-2821")
            let plain = try render(folder.file("x.opus"), "--sample-format", "s16")
            let softer = try render(folder.file("x.opus"), "--sample-format", "s16", "--loudness", "track")
            // Samples near the limit of 16 bits are not compared, because they may be clipped.
            #expect(try #require(SampleComparison.largestDifference(softer, plain, factor: 2, within: 32_000)) <= 8)
            #expect(plain.contains { abs(Int($0.left)) > 8_000 })
        }

        @Test("standard output is a WAV stream that other programs read")
        func standardOutput() throws {
            let (status, output, errors) = try tonearm("render", folder.file("noise.wav"), "-o", "-")
            #expect(status == 0 && errors.isEmpty)
            #expect(WaveFile.frames(of: output) == noise.frames)
            try output.write(to: URL(filePath: folder.file("stream.wav")))
            let read = try run("/bin/sh", ["-c", "ffmpeg -nostdin -v error -i - -f s16le - < '\(folder.file("stream.wav"))' | wc -c"])
            #expect(Int(read.trimmingCharacters(in: .whitespacesAndNewlines)) == noise.frames.count * 4)
        }

        @Test("an unreadable input gives one line and status 1, and leaves no file, also if it is not the first")
        func failingInput() throws {
            try folder.bytes("broken.flac", "not a FLAC file, whatever its name says".utf8)
            for inputs in [["broken.flac", "noise.wav"], ["noise.wav", "broken.flac"], ["noise.wav", "missing.wav"]] {
                let paths = inputs.map(folder.file)
                let (status, _, errors) = try tonearm("render", paths[0], paths[1], "-o", folder.file("bad/../out.wav"))
                #expect(status == 1)
                #expect(errors.filter(\.isNewline).count == 1 && errors.contains(inputs.first { $0 != "noise.wav" } ?? ""), "\(errors)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["broken.flac", "noise.wav"])
        }

        @Test("a full disk and a closed pipe give one line and status 1")
        func failingOutput() throws {
            let full = try tonearm("render", folder.file("noise.wav"), "-o", "-", output: URL(filePath: "/dev/full"))
            #expect(full.status == 1)
            #expect(full.errors.contains("No space left on device") && full.errors.filter(\.isNewline).count == 1)
            let program = try Daemon.binary.path
            let text = try run(
                "/bin/bash", ["-c", "{ '\(program)' render '\(folder.file("noise.wav"))' -o -; echo $? >&2; } | head -c 10 > /dev/null"])
            #expect(text.hasPrefix("tonearm: standard output: ") && text.hasSuffix("\n1\n"), "\(text)")
        }

        @Test("a signal during rendering leaves no file")
        func interrupted() throws {
            try folder.wav("long.wav", Noise(seconds: 60, seed: 33).frames)
            let daemon = try Daemon(arguments: [
                "render", "-o", folder.file("out.wav"), "--algorithm", "spectral", "--rate", "0.5", folder.file("long.wav"),
            ])
            try eventually("it writes") { try FileManager.default.contentsOfDirectory(atPath: folder.path).count > 2 ? true : nil }
            _ = try daemon.end(with: SIGINT)
            #expect(daemon.process.terminationStatus == 130)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["long.wav", "noise.wav"])
        }

        @Test("inspect --loudness measures a whole file, also one whose decoded samples are over full scale")
        func measuredLoudness() throws {
            let tone = "sine=1000:duration=4,volume=20dB,aformat=fltp,pan=stereo|c0=c0|c1=c0"
            try run("ffmpeg", ["-nostdin", "-v", "error", "-f", "lavfi", "-i", tone, "-c:a", "pcm_f32le", folder.file("hot.wav")])
            let (status, output, _) = try tonearm("inspect", "--loudness", "--json", folder.file("hot.wav"))
            #expect(status == 0)
            let report = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
            let measured = try #require(report["measuredLoudness"] as? [String: Any])
            // FFmpeg's sine has an amplitude of 1/8, so the tone is at 1.94 dB relative to full scale, and as loud in LUFS in two channels.
            #expect(abs((measured["truePeak"] as? Double ?? 0) - 1.94) < 0.05)
            #expect(abs((measured["integrated"] as? Double ?? 0) - 1.94) < 0.15)
            #expect((measured["clippedFrames"] as? Int ?? 0) > 40_000)
        }

        @Test("inspect reports the exact length, in text and JSON, and its status is 1 if one input fails")
        func inspects() throws {
            let (status, output, errors) = try tonearm("inspect", folder.file("noise.wav"), folder.file("missing.wav"))
            #expect(status == 1)
            #expect(String(decoding: output, as: UTF8.self).contains("0:03.000, 132300 samples (exact)"))
            #expect(errors == "tonearm: \(folder.file("missing.wav")): There is no such file.\n")
            let json = try tonearm("inspect", "--json", folder.file("noise.wav"), folder.file("noise.wav"))
            #expect(json.status == 0)
            let lines = String(decoding: json.output, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 2)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
            #expect((object["duration"] as? [String: Any])?["frames"] as? Int == 132_300)
            #expect(object["codec"] as? String == "pcm_s16le" && object["bitsPerSample"] as? Int == 16)
        }
    }
}
