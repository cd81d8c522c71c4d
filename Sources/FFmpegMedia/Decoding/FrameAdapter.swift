import CFFmpeg
import PlaybackEngine

/// Converts decoded frames whose sample rate or channels differ from the format of their stream. Only streams that change their format during
/// playback need it.
final class FrameAdapter {
    private let format: AudioFormat
    /// The two formats between which `resampler` converts; nil if the next frame needs a new resampler.
    private var current: (from: AudioFormat, to: AudioFormat)?
    private var resampler: SwrHandle?
    private var samples: [Float] = []
    /// Whether the current `AVFrame` had to be converted, so that `copy` delivers it.
    private(set) var isActive = false

    init(_ format: AudioFormat) { self.format = format }

    /// Discards the resampler with its preceding frames, because a seek has interrupted the stream.
    func reset() { current = nil }

    /// Returns whether the decoded `AVFrame` already has the format `format`.
    static func isEqual(_ frame: UnsafePointer<AVFrame>, _ format: AudioFormat) -> Bool {
        Int(frame.pointee.sample_rate) == format.sampleRate && Int(frame.pointee.ch_layout.nb_channels) == format.channelCount
            && SampleConverter.supports(AVSampleFormat(rawValue: frame.pointee.format))
    }

    /// Converts the first `count` frames of the `AVFrame` to the stream's format, unless they already have it. Returns the number of frames in the
    /// stream's format; 0 if the conversion is not supported.
    func adapt(_ frame: UnsafePointer<AVFrame>, count: Int) throws(PlaybackError) -> Int {
        guard !FrameAdapter.isEqual(frame, format) else {
            isActive = false
            return count
        }
        isActive = true
        samples.removeAll(keepingCapacity: true)
        guard count > 0, let heard = StreamStart.format(of: frame), isPlausible(heard) else { return 0 }
        // The decoded audio is converted to a whole number of frames, so that the positions after it stay correct. The ratio of input frames to
        // output frames differs inaudibly from the ratio of the sample rates, because both numbers of frames are whole.
        let wanted = Int(Ratio(from: heard.sampleRate, to: format.sampleRate).outputFrames(Int64(count)))
        guard wanted > 0, wanted <= FrameAdapter.largest / format.channelCount else { return 0 }
        let from = AudioFormat(sampleRate: count, channelLayout: heard.channelLayout)
        let to = AudioFormat(sampleRate: wanted, channelLayout: format.channelLayout)
        if current?.from != from || current?.to != to {
            resampler = nil
            resampler = try SwrHandle.make(from: from, to: to)
            current = (from, to)
        }
        var input = [Float](repeating: 0, count: count * heard.channelCount)
        input.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            SampleConverter.convert(frame, first: 0, count: count, channels: heard.channelCount, into: start)
        }
        samples = [Float](repeating: 0, count: wanted * format.channelCount)
        return try convert(input, count: count, wanted: wanted)
    }

    /// Returns whether a stream may change its format to `heard`, the format of a decoded frame. A sample rate that is many times larger or smaller
    /// than the stream's own comes only from damage. Its conversion would need a filter, or a number of samples, of unlimited size.
    private func isPlausible(_ heard: AudioFormat) -> Bool {
        max(heard.sampleRate, format.sampleRate) / min(heard.sampleRate, format.sampleRate) <= FrameAdapter.largestStep
    }
    private static let largestStep = 96
    /// The maximum number of samples into which one `AVFrame` is converted, of all channels together.
    private static let largest = 1 << 24

    private func convert(_ input: [Float], count: Int, wanted: Int) throws(PlaybackError) -> Int {
        guard let context = resampler?.raw, wanted > 0 else { return 0 }
        let code = samples.withUnsafeMutableBytes { output in
            input.withUnsafeBytes { input -> Int32 in
                var to = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                var from = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return swr_convert(context, &to, Int32(wanted), &from, Int32(count))
            }
        }
        if code < 0 { throw FFmpegError.error(code, while: .converting) }
        // The resampler's filter delays its output, so samples are missing after the conversion of a frame. Silence replaces the samples that the
        // filter delays; the silence is inserted before the converted audio, not after it.
        let missing = (wanted - Int(code)) * format.channelCount
        if missing > 0, missing < samples.count { samples = [Float](repeating: 0, count: missing) + samples.dropLast(missing) }
        return wanted
    }

    /// Copies `count` converted frames of the current `AVFrame` to `output`, from frame number `first` on. Only valid if `isActive`.
    func copy(first: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        let channels = format.channelCount
        for index in 0..<(count * channels) { output[index] = samples[first * channels + index] }
    }
}
