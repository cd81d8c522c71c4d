import FFmpegMedia
public import PlaybackEngine
import PulseOutput
import RubberBandPitch

extension PlaybackEnvironment {
    /// In the order in which they are tried: PulseAudio (PULSE_SERVER, PULSE_SINK), and the null output, which keeps time without a device.
    public static let outputDrivers: [OutputDriver] = [.pulse, .null]

    /// FFmpeg, and the first output that opens.
    static let standard = PlaybackEnvironment(
        opener: FFmpegOpener(), outputs: outputDrivers.map { $0.provider(nil) },
        engineHost: ThreadedEngineHost(makePitch: makeTimePitch), canReverse: true)
}

extension PlaybackEnvironment {
    /// R-PITCH-01.
    public static func makeTimePitch(_ algorithm: PitchAlgorithm, _ format: AudioFormat) -> any TimePitch {
        switch algorithm {
        case .timeDomain: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .spectral: RubberBandTimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .lowQualityZeroLatency: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount, quality: .lowLatency)
        case .varispeed: VarispeedTimePitch(format: format)
        }
    }
}
