import FFmpegMedia
public import PlaybackEngine
import PulseOutput
import RubberBandPitch

extension PlaybackEnvironment {
    /// The drivers of outputs, in the order in which they are tried. The first driver is PulseAudio, on the server and the sink that the environment
    /// variables PULSE_SERVER and PULSE_SINK name. The second driver is the null output, which keeps real time without a device.
    public static let outputDrivers: [OutputDriver] = [.pulse, .null]

    /// The standard environment: FFmpeg opens media, and the first output that can be opened plays the audio.
    static let standard = PlaybackEnvironment(
        opener: FFmpegOpener(), outputs: outputDrivers.map { $0.provider(nil) },
        engineHost: ThreadedEngineHost(makePitch: makeTimePitch), canReverse: true)
}

extension PlaybackEnvironment {
    /// Makes the stretcher that renders audio by a pitch algorithm (R-PITCH-01).
    public static func makeTimePitch(_ algorithm: PitchAlgorithm, _ format: AudioFormat) -> any TimePitch {
        switch algorithm {
        case .timeDomain: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .spectral: RubberBandTimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .lowQualityZeroLatency: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount, quality: .lowLatency)
        case .varispeed: VarispeedTimePitch(format: format)
        }
    }
}
