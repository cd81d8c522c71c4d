import CoreMedia
import PlaybackEngine

/// What `inspect` is asked for.
struct InspectOptions: Sendable, Hashable {
    /// One JSON object for each input in place of text.
    var isJSON = false
    /// Scan remote media too where that is what an exact duration takes.
    var isPrecise = false
}

/// What `render` is asked for.
struct RenderOptions: Sendable, Hashable {
    enum Output: Sendable, Hashable {
        case standardOutput
        case file(path: String)
    }
    /// Nil until it is given: there is no default.
    var output: Output?
    /// Where the first input begins; nil is its beginning, or its end where it goes backwards.
    var start: CMTime?
    /// The most that comes out; everything where not numeric.
    var duration = CMTime.invalid
    var rate = 1.0
    var algorithm = PitchAlgorithm.timeDomain
    /// Nil is the inputs' own.
    var encoding: WaveEncoding?
}

extension Setting {
    static let inspect: [Setting] = [
        Setting("json", help: "one line with one JSON object for each input") { options, _ in options.inspect.isJSON = true },
        Setting("precise", help: "scan remote media too where that is what an exact duration takes") { options, _ in options.inspect.isPrecise = true
        },
    ]

    static let render: [Setting] = [
        Setting("output", letter: "-o", "FILE.wav|-", help: "where the sound goes; - is standard output") { options, value throws(Invalid) in
            guard !value.isEmpty else { throw Invalid(reason: "wants a file, or - for standard output") }
            options.render.output = value == "-" ? .standardOutput : .file(path: value)
        },
        Setting("start", "T", help: "where the first input begins (default 0; backwards, its end)") { options, value throws(Invalid) in
            options.render.start = try time(value)
        },
        Setting("duration", "T", help: "the most that comes out (default everything)") { options, value throws(Invalid) in
            let duration = try time(value)
            guard duration.value > 0 else { throw Invalid(reason: "wants a time above 0") }
            options.render.duration = duration
        },
        Setting("rate", "R", help: "the speed, 1/32 to 32, pitch kept; negative plays backwards (default 1)") { options, value throws(Invalid) in
            guard let rate = Double(value), (1.0 / 32...32).contains(abs(rate)) else {
                throw Invalid(reason: "wants a number from 0.03125 to 32, or its negative")
            }
            options.render.rate = rate
        },
        Setting("algorithm", "NAME", help: "timeDomain (default), spectral, varispeed (pitch follows) or lowQualityZeroLatency") {
            options, value throws(Invalid) in
            guard let algorithm = PitchAlgorithm(rawValue: value) else {
                throw Invalid(reason: "wants timeDomain, spectral, varispeed or lowQualityZeroLatency")
            }
            options.render.algorithm = algorithm
        },
        loudness,
        crossfade,
        Setting("sample-format", "FORMAT", help: "native (the most bits of the inputs; default), s16, s24, s32 or f32") {
            options, value throws(Invalid) in
            options.render.encoding = WaveEncoding(rawValue: value)
            guard value == "native" || options.render.encoding != nil else { throw Invalid(reason: "wants native, s16, s24, s32 or f32") }
        },
    ]

    private static func time(_ text: String) throws(Invalid) -> CMTime {
        guard let time = CMTime(argument: text) else {
            throw Invalid(reason: "wants a time: seconds (90.5), H:MM:SS.fff, or a fraction of a second (220500/44100)")
        }
        return time
    }
}
