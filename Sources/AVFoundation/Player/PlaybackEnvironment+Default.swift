import FFmpegMedia
public import PlaybackEngine
import PulseOutput

extension PlaybackEnvironment {
    /// The real edges: FFmpeg opens, PulseAudio plays (it honours `PULSE_SERVER` and `PULSE_SINK`), the clocked null output where no server answers.
    ///
    /// - Parameter outputs: the outputs to try, in order, in place of these two.
    public static func real(outputs: [any OutputProvider]? = nil) -> PlaybackEnvironment {
        let outputs = outputs ?? [PulseOutputProvider(), NullOutputProvider()]
        return PlaybackEnvironment(opener: FFmpegOpener(), outputs: outputs, engineHost: ThreadedEngineHost(makePitch: makePitch))
    }

    static let standard = real()

    /// The renderer of a pitch algorithm (R-PITCH-01).
    @Sendable static func makePitch(_ algorithm: PitchAlgorithm, _ format: AudioFormat) -> any TimePitch {
        switch algorithm {
        case .varispeed: VarispeedTimePitch(format: format)
        case .lowQualityZeroLatency: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount, quality: .lowLatency)
        case .timeDomain, .spectral: WSOLATimePitch(sampleRate: format.sampleRate, channelCount: format.channelCount)
        }
    }
}
