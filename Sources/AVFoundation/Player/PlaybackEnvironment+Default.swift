import FFmpegMedia
public import PlaybackEngine
import PulseOutput
import RubberBandPitch

extension PlaybackEnvironment {
    /// FFmpeg opens media. PulseAudio plays, on the server and sink that PULSE_SERVER and PULSE_SINK name. If no server answers, the null output
    /// keeps real time.
    static let standard = PlaybackEnvironment(
        opener: FFmpegOpener(), outputs: [PulseOutputProvider(), NullOutputProvider()],
        engineHost: ThreadedEngineHost(makePitch: makeTimePitch), canReverse: true)
}

extension PlaybackEnvironment {
    /// Returns the renderer of a pitch algorithm (R-PITCH-01).
    public static func makeTimePitch(_ algorithm: PitchAlgorithm, _ format: AudioFormat) -> any TimePitch {
        switch algorithm {
        case .timeDomain: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .spectral: RubberBandTimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        case .lowQualityZeroLatency: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount, quality: .lowLatency)
        case .varispeed: VarispeedTimePitch(format: format)
        }
    }
}
