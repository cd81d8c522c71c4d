import CoreMedia
import PlaybackEngine

struct InspectOptions: Sendable, Hashable {
    /// Whether one JSON object is written for each medium.
    var isJSON = false
    /// Whether a remote medium is read to its end if an exact duration needs it.
    var isPrecise = false
    /// Whether loudness is measured; each medium is then decoded to its end.
    var measuresLoudness = false
}

struct RenderOptions: Sendable, Hashable {
    enum Output: Sendable, Hashable {
        case standardOutput
        case file(path: String)
    }
    /// The file or stream to which audio is written; nil means an error, because there is no default.
    var output: Output?
    /// The position at which rendering starts; nil for the beginning, or the end if the rate is negative.
    var start: CMTime?
    /// The duration that is rendered; unlimited if it is not numeric.
    var duration = CMTime.invalid
    var loop: LoopRange?
    /// The number of passes through the loop; nil for no limit.
    var turns: Int?
    var rate = 1.0
    var algorithm = PitchAlgorithm.timeDomain
    /// The sample rate of the output, in frames per second; nil for the rate of the first medium.
    var sampleRate: Int?
    /// The encoding of the samples; nil for the encoding that preserves all samples.
    var encoding: WaveEncoding?
}

extension Setting {
    static let inspect: [Setting] = [
        Setting("json", help: "write one JSON object in one line for each input") { options, _ in options.inspect.isJSON = true },
        Setting("precise", help: "scan remote media too if an exact duration requires it") { options, _ in options.inspect.isPrecise = true
        },
        Setting("loudness", help: "decode each input to its end, and measure loudness (EBU R 128), true peak and clipping") { options, _ in
            options.inspect.measuresLoudness = true
        },
    ]

    static let render: [Setting] = [
        Setting("output", letter: "-o", "FILE.wav|-", completion: .files, help: "the output file; - is standard output") {
            options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "must be a file, or - for standard output") }
            options.render.output = value == "-" ? .standardOutput : .file(path: value)
        },
        Setting("start", "T", help: "start position in the first input (default 0; backwards, its end)") { options, value throws(Invalid) in
            options.render.start = try time(value)
        },
        Setting("duration", "T", help: "maximum duration of the output (default: everything)") { options, value throws(Invalid) in
            let duration = try time(value)
            guard duration.value > 0 else { throw Invalid(reason: "must be a time greater than 0") }
            options.render.duration = duration
        },
        Setting("loop", "START-END", help: "repeat this part of the input; needs --turns or --duration") { options, value throws(Invalid) in
            let ends = value.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).compactMap { String($0) }
            guard ends.count == 2 else { throw Invalid(reason: "must be two times, such as 10.5-12 or 1:02-1:08") }
            options.render.loop = LoopRange(start: try time(ends[0]), end: try time(ends[1]))
            guard options.render.loop != nil else { throw Invalid(reason: "must be a range of at least \(LoopRange.shortestDuration) s") }
        },
        Setting("turns", "N", help: "end after the part of --loop was played N times, 1 to 1000000") { options, value throws(Invalid) in
            guard let turns = Int(value), (1...1_000_000).contains(turns) else { throw Invalid(reason: "must be a number from 1 to 1000000") }
            options.render.turns = turns
        },
        Setting("rate", "R", help: "speed, 1/32 to 32, with the pitch kept; negative plays backwards (default 1)") { options, value throws(Invalid) in
            guard let rate = Double(value), (1.0 / 32...32).contains(abs(rate)) else {
                throw Invalid(reason: "must be a number from 0.03125 to 32, or its negative")
            }
            options.render.rate = rate
        },
        Setting(
            "algorithm", "NAME", completion: .words(["timeDomain", "spectral", "varispeed", "lowQualityZeroLatency"]),
            help: "timeDomain (default), spectral, varispeed (pitch follows) or lowQualityZeroLatency"
        ) {
            options, value throws(Invalid) in
            guard let algorithm = PitchAlgorithm(rawValue: value) else {
                throw Invalid(reason: "must be timeDomain, spectral, varispeed or lowQualityZeroLatency")
            }
            options.render.algorithm = algorithm
        },
        loudness,
        headroom,
        crossfade,
        dither,
        resampler,
        Setting("sample-rate", "HZ", help: "4000 to 384000, as for a device of this rate (default: that of the first input)") {
            options, value throws(Invalid) in
            guard let rate = Int(value), (4000...384_000).contains(rate) else { throw Invalid(reason: "must be a number from 4000 to 384000") }
            options.render.sampleRate = rate
        },
        Setting(
            "sample-format", "FORMAT", completion: .words(["native", "s16", "s24", "s32", "f32"]),
            help: "native (the highest bit depth of the inputs; default), s16, s24, s32 or f32"
        ) {
            options, value throws(Invalid) in
            options.render.encoding = WaveEncoding(rawValue: value)
            guard value == "native" || options.render.encoding != nil else { throw Invalid(reason: "must be native, s16, s24, s32 or f32") }
        },
    ]

    private static func time(_ text: String) throws(Invalid) -> CMTime {
        guard let time = CMTime(argument: text) else {
            throw Invalid(reason: "must be a time: seconds (90.5), H:MM:SS.fff, or a fraction of a second (220500/44100)")
        }
        return time
    }
}
