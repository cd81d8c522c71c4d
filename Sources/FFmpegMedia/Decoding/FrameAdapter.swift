import CFFmpeg
import PlaybackEngine

/// Converts frames whose rate or channels differ from the stream's format, for streams that change during playback.
final class FrameAdapter {
    private let format: AudioFormat
    /// The formats that the resampler was made for.
    private var current: (from: AudioFormat, to: AudioFormat)?
    private var resampler: SwrHandle?
    private var samples: [Float] = []
    /// Whether the current frame was converted.
    private(set) var isActive = false

    init(_ format: AudioFormat) { self.format = format }

    /// Discards the preceding frames' state, after a jump.
    func reset() { current = nil }

    /// Whether `frame` already has `format`.
    static func isEqual(_ frame: UnsafePointer<AVFrame>, _ format: AudioFormat) -> Bool {
        Int(frame.pointee.sample_rate) == format.sampleRate && Int(frame.pointee.ch_layout.nb_channels) == format.channelCount
            && SampleConverter.supports(AVSampleFormat(rawValue: frame.pointee.format))
    }

    /// Converts the first `count` frames of `frame`; returns how many they are in the stream's format.
    func adapt(_ frame: UnsafePointer<AVFrame>, count: Int) throws(PlaybackError) -> Int {
        guard !FrameAdapter.isEqual(frame, format) else {
            isActive = false
            return count
        }
        isActive = true
        samples.removeAll(keepingCapacity: true)
        guard count > 0, let heard = StreamStart.format(of: frame), isPlausible(heard) else { return 0 }
        // Converts to a whole number of frames, so that positions stay correct. The ratio of the two numbers differs inaudibly from that of the
        // rates.
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

    /// Whether a stream may change to `heard`. A rate that is many times the other is damage, and would cost a filter, or samples, without limit.
    private func isPlausible(_ heard: AudioFormat) -> Bool {
        max(heard.sampleRate, format.sampleRate) / min(heard.sampleRate, format.sampleRate) <= FrameAdapter.largestStep
    }
    private static let largestStep = 96
    /// Maximum number of samples in one frame, of all channels together.
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
        // The filter delays its output: the missing samples are silence before the change, not after it.
        let missing = (wanted - Int(code)) * format.channelCount
        if missing > 0, missing < samples.count { samples = [Float](repeating: 0, count: missing) + samples.dropLast(missing) }
        return wanted
    }

    /// Copies frames of the current one.
    func copy(first: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        let channels = format.channelCount
        for index in 0..<(count * channels) { output[index] = samples[first * channels + index] }
    }
}
