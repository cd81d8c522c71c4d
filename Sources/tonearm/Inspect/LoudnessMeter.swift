import CEBUR128
import Glibc
public import PlaybackEngine

/// Measures the loudness and the peaks of a whole recording, by libebur128 (ITU-R BS.1770-4, EBU R 128, EBU Tech 3342). The memory does not grow with
/// the length of the recording.
///
/// One thread at a time may use a `LoudnessMeter`.
public final class LoudnessMeter {
    /// The result of a measurement.
    public struct Measurement: Sendable, Hashable {
        /// The integrated loudness, in LUFS; nil if no part is louder than −70 LUFS.
        public var integrated: Double?
        /// The loudness range, in LU; nil if no part is loud enough.
        public var range: Double?
        /// The greatest magnitude of a sample, relative to full scale.
        public var samplePeak: Double
        /// The greatest magnitude of the waveform, at the samples and between them, relative to full scale. It is measured at four times the sample
        /// rate if this is below 96 kHz, at twice the sample rate from 96 kHz to below 192 kHz, and otherwise only at the samples.
        public var truePeak: Double
        /// The number of frames with a sample over full scale. A device with integer samples clips such samples.
        public var clippedFrames: Int

        public init(integrated: Double?, range: Double?, samplePeak: Double, truePeak: Double, clippedFrames: Int) {
            (self.integrated, self.range, self.clippedFrames) = (integrated, range, clippedFrames)
            (self.samplePeak, self.truePeak) = (samplePeak, truePeak)
        }
    }

    private let state: UnsafeMutablePointer<UnsafeMutablePointer<ebur128_state>?>
    private let channelCount: Int
    private var clippedFrames = 0

    /// The maximum number of channels that libebur128 measures.
    public static let maximumChannels = 64

    /// Creates a meter for audio of the format `format`; nil if the format has more than 64 channels, or if there is not enough memory.
    public init?(_ format: AudioFormat) {
        guard format.channelCount <= Self.maximumChannels,
            let made = ebur128_init(UInt32(format.channelCount), UInt(format.sampleRate), CEBUR128_wholeRecording)
        else { return nil }
        state = .allocate(capacity: 1)
        state.initialize(to: made)
        channelCount = format.channelCount
        for (index, channel) in Self.channels(of: format.channelLayout).enumerated() {
            ebur128_set_channel(made, UInt32(index), Int32(channel.rawValue))
        }
    }

    deinit {
        ebur128_destroy(state)
        state.deallocate()
    }

    /// Measures interleaved samples, which follow those of the last call.
    public func add(_ samples: UnsafePointer<Float>, frameCount: Int) {
        ebur128_add_frames_float(state.pointee, samples, frameCount)
        for frame in 0..<frameCount {
            let first = frame * channelCount
            if (first..<(first + channelCount)).contains(where: { abs(samples[$0]) > 1 }) { clippedFrames += 1 }
        }
    }

    /// The measurement of all samples that were added.
    public var measurement: Measurement {
        func value(_ read: (UnsafeMutablePointer<Double>) -> Int32) -> Double? {
            var value = 0.0
            return read(&value) == 0 && value.isFinite ? value : nil
        }
        func peak(_ read: (UInt32, UnsafeMutablePointer<Double>) -> Int32) -> Double {
            (0..<UInt32(channelCount)).compactMap { channel in value { read(channel, $0) } }.max() ?? 0
        }
        let integrated = value { ebur128_loudness_global(state.pointee, $0) }
        return Measurement(
            integrated: integrated, range: integrated == nil ? nil : value { ebur128_loudness_range(state.pointee, $0) },
            samplePeak: peak { ebur128_sample_peak(state.pointee, $0, $1) }, truePeak: peak { ebur128_true_peak(state.pointee, $0, $1) },
            clippedFrames: clippedFrames)
    }

    /// Returns the positions of the channels, from which libebur128 takes their weights: surround channels count more, and the channel of low
    /// frequencies does not count. Empty if the positions are unknown. libebur128 then uses its default positions.
    private static func channels(of layout: ChannelLayout) -> [channel] {
        guard layout.mask.nonzeroBitCount == layout.count else { return [] }
        if layout.count == 1 { return [EBUR128_LEFT] }
        // The positions are in the order of the bits in WAVE's channel mask.
        let positions = [
            EBUR128_LEFT, EBUR128_RIGHT, EBUR128_CENTER, EBUR128_UNUSED, EBUR128_LEFT_SURROUND, EBUR128_RIGHT_SURROUND, EBUR128_MpSC, EBUR128_MmSC,
            EBUR128_Mp180, EBUR128_LEFT_SURROUND, EBUR128_RIGHT_SURROUND,
        ]
        return (0..<64).filter { layout.mask >> UInt64($0) & 1 == 1 }.map { $0 < positions.count ? positions[$0] : EBUR128_UNUSED }
    }
}
