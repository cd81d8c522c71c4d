import CoreMedia
import FFmpegMedia
import PlaybackEngine
import Testing

@testable import tonearm

@Suite("Options of render and inspect")
struct OfflineOptionsTests {
    private func parse(_ arguments: String...) throws -> Options {
        // Only the daemon uses the environment variables. For example, `tonearm render` must not use the output on which a service plays.
        try Options.parse(arguments: arguments, environment: ["TONEARM_OUTPUT": "pulse", "TONEARM_LISTEN": "nonsense"])
    }
    private func complaint(_ arguments: String...) -> String? {
        do throws(OptionsError) {
            _ = try Options.parse(arguments: arguments)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("render accepts inputs in order, and only the output has no default")
    func defaults() throws {
        let options = try parse("render", "a.flac", "-o", "out.wav", "http://example.org/b")
        #expect(options.command == .render)
        #expect(options.media == ["a.flac", "http://example.org/b"])
        var expected = RenderOptions()
        expected.output = .file(path: "out.wav")
        #expect(options.render == expected)
        #expect(options.warnings.isEmpty)
    }

    @Test("every option of render is accepted in its long, short and joined form")
    func everything() throws {
        let options = try parse(
            "render", "a", "--output=-", "--start", "1:02.5", "--duration", "3/4", "--rate", "-0.5", "--algorithm", "spectral", "--sample-format",
            "s24", "--loudness", "track")
        #expect(options.render.output == .standardOutput)
        #expect(options.render.start == CMTime(value: 625, timescale: 10))
        #expect(options.render.duration == CMTime(value: 3, timescale: 4))
        #expect(options.render.rate == -0.5)
        #expect(options.render.algorithm == .spectral)
        #expect(options.render.encoding == .int24)
        #expect(options.loudness == .track)
        #expect(try parse("render", "a", "-o", "-").render.output == .standardOutput)
        #expect(try parse("render", "a", "-o=b").render.output == .file(path: "b"))
        #expect(try parse("render", "a", "-o", "b", "--sample-format", "native").render.encoding == nil)
    }

    @Test("sample rates are converted in the best quality unless the fast one is wanted", arguments: ["render", "serve"])
    func resampler(_ command: String) throws {
        let rest = command == "render" ? ["a.wav", "-o", "b.wav"] : []
        #expect(try Options.parse(arguments: [command] + rest).resampler == .best)
        #expect(try Options.parse(arguments: [command, "--resampler", "fast"] + rest).resampler == .fast)
        #expect(complaint(command, "--resampler", "soxr") == "--resampler must be best or fast, not \"soxr\"")
    }

    @Test("the headroom is off, by the peak of the tags, or in decibels (R-LNX-48)", arguments: ["render", "serve"])
    func headroom(_ command: String) throws {
        let rest = command == "render" ? ["a.wav", "-o", "b.wav"] : []
        #expect(try Options.parse(arguments: [command] + rest).headroom == .off)
        #expect(try Options.parse(arguments: [command, "--headroom", "peak"] + rest).headroom == .peak)
        #expect(try Options.parse(arguments: [command, "--headroom=1.5"] + rest).headroom == .decibels(1.5))
        #expect(complaint(command, "--headroom", "13") == "--headroom must be off, peak, or 0 to 12 decibels, not \"13\"")
    }

    @Test("the sample rate of outputs is one of three words or a number (R-LNX-47)")
    func outputRate() throws {
        #expect(try Options.parse(arguments: ["serve"]).outputRate == .automatic)
        #expect(try Options.parse(arguments: ["serve", "--output-rate", "item"]).outputRate == .item)
        #expect(try Options.parse(arguments: ["serve", "--output-rate", "48000"]).outputRate == .fixed(48_000))
        #expect(
            complaint("serve", "--output-rate", "48k") == "--output-rate must be auto, item, device or a number from 4000 to 384000, not \"48k\"")
    }

    @Test("samples of 16 bits are dithered unless that is switched off (R-LNX-44)", arguments: ["render", "serve"])
    func dither(_ command: String) throws {
        let rest = command == "render" ? ["a", "-o", "b"] : []
        #expect(try Options.parse(arguments: [command] + rest).dither == .tpdf)
        #expect(try Options.parse(arguments: [command, "--dither", "none"] + rest).dither == .none)
        #expect(complaint(command, "--dither", "flat") == "--dither must be tpdf or none, not \"flat\"")
    }

    @Test("a loop of a render has two times, and a number of turns")
    func loop() throws {
        let options = try parse("render", "a", "-o", "b", "--loop", "1:02.5-1:10", "--turns", "1000")
        #expect(options.render.loop == LoopRange(start: CMTime(value: 625, timescale: 10), end: CMTime(value: 70, timescale: 1)))
        #expect(options.render.turns == 1000)
    }

    @Test(
        "invalid values for render are refused before anything is opened",
        arguments: [
            ("--start", "-1"), ("--start", "soon"), ("--duration", "0"), ("--duration", "1:60"), ("--rate", "0"), ("--rate", "33"), ("--rate", "nan"),
            ("--loop", "5"), ("--loop", "2-1"), ("--loop", "1-1.05"), ("--loop", "1-2-3"), ("--turns", "0"), ("--turns", "many"),
            ("--algorithm", "fast"), ("--sample-format", "s8"), ("--loudness", "on"), ("--output", ""),
        ])
    func badValues(option: String, value: String) {
        #expect(complaint("render", "a", "-o", "b", option, value)?.hasPrefix("\(option) must be ") == true)
    }

    @Test("render requires an input and an output, inspect an input")
    func missing() {
        #expect(complaint("render", "-o", "x.wav")?.contains("FILE or URL") == true)
        #expect(complaint("render", "a.flac")?.contains("--output") == true)
        #expect(complaint("inspect")?.contains("FILE or URL") == true)
    }

    @Test("a command accepts only its own options")
    func ownOptions() {
        #expect(complaint("render", "a", "--listen", "127.0.0.1:1") == "--listen is not an option of this command")
        #expect(complaint("serve", "--json") == "--json is not an option of this command")
        #expect(complaint("render", "a", "--durations", "1") == "--durations is not an option of this command")
    }

    @Test("inspect prints text, or JSON if requested")
    func inspect() throws {
        #expect(try parse("inspect", "a").inspect == InspectOptions())
        #expect(try parse("inspect", "--json", "a", "--precise").inspect == InspectOptions(isJSON: true, isPrecise: true))
    }

    @Test(
        "a time is parsed exactly",
        arguments: [
            ("0", 0, 1), ("90", 90, 1), ("90.5", 905, 10), ("1:30", 90, 1), ("1:30.50", 9050, 100), ("0:01:30.125", 90_125, 1000),
            ("100:00:00", 360_000, 1),
            ("220500/44100", 220_500, 44_100), ("0.123456789", 123_456_789, 1_000_000_000), ("125:00", 7500, 1),
        ])
    func times(text: String, value: Int64, scale: Int32) {
        let time = CMTime(argument: text)
        #expect(time?.value == value)
        #expect(time?.timescale == scale)
    }

    @Test(
        "text that is not a time is refused",
        arguments: [
            "", "-1", "+1", "1e3", ".5", "1.", "1:5", "1:60", "0:60:00", "1:2:3:4", ":30", "1:", "1/0", "1/", "/2", "1/2/3", "0.1234567890", "ten",
            "٣",
            "9223372036854775808", "9223372036854775807.1", "9223372036854775807:00", "1/2147483648", " 1",
        ])
    func noTimes(text: String) {
        #expect(CMTime(argument: text) == nil)
    }

    @Test("native is the greatest bit depth of all inputs, and float if one has none")
    func native() {
        func info(_ bits: Int?, _ codec: String = "flac") -> MediaInfo {
            MediaInfo(containerName: "x", codecName: codec, format: .compactDisc, bitsPerSample: bits)
        }
        #expect(nativeEncoding([info(16)]) == .int16)
        #expect(nativeEncoding([info(8)]) == .int16)
        #expect(nativeEncoding([info(16), info(24), info(16)]) == .int24)
        #expect(nativeEncoding([info(20)]) == .int24)
        #expect(nativeEncoding([info(32), info(24)]) == .int32)
        #expect(nativeEncoding([info(16), info(nil, "mp3")]) == .float32)
        var floats = info(32, "wavpack")
        floats.isFloat = true
        #expect(nativeEncoding([floats]) == .float32)
    }
}
