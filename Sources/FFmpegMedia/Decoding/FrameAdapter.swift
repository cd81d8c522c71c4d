import CFFmpeg
import PlaybackEngine

/// Converts decoded frames to the format in which their stream began; few streams change the format during playback.
final class FrameAdapter {
    private let format: AudioFormat
    /// The formats of `resampler`; nil if the next frame needs a new one.
    private var current: (from: AudioFormat, to: AudioFormat)?
    private var resampler: SwrHandle?
    private var samples: [Float] = []
    /// Whether the frame was converted, so that `copy` delivers it.
    private(set) var isActive = false

    init(_ format: AudioFormat) { self.format = format }

    /// Discards the resampler's state, because a seek has interrupted the stream.
    func reset() { current = nil }

    static func isEqual(_ frame: UnsafePointer<AVFrame>, _ format: AudioFormat) -> Bool {
        guard let heard = StreamStart.format(of: frame) else { return false }
        return heard.sampleRate == format.sampleRate && heard.channelCount == format.channelCount
    }

    /// Converts a frame. Returns the number of frames in the stream's format; 0 if the conversion is not supported.
    func adapt(_ frame: UnsafePointer<AVFrame>, count: Int) throws(PlaybackError) -> Int {
        guard !FrameAdapter.isEqual(frame, format) else {
            isActive = false
            return count
        }
        isActive = true
        samples.removeAll(keepingCapacity: true)
        guard count > 0, let heard = StreamStart.format(of: frame), isPlausible(heard) else { return 0 }
        // The number of converted frames is whole, so that later positions stay correct; the ratio differs inaudibly from that of the rates.
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

    /// Whether a rate is plausible. A rate many times larger or smaller comes only from damage, and would need a filter or a number of samples of
    /// unlimited size.
    private func isPlausible(_ heard: AudioFormat) -> Bool {
        max(heard.sampleRate, format.sampleRate) / min(heard.sampleRate, format.sampleRate) <= FrameAdapter.largestStep
    }
    private static let largestStep = 96
    /// The greatest number of samples of one `AVFrame`, of all channels.
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
        // The filter delays its output; silence before the audio replaces what is missing.
        let missing = (wanted - Int(code)) * format.channelCount
        if missing > 0, missing < samples.count { samples = [Float](repeating: 0, count: missing) + samples.dropLast(missing) }
        return wanted
    }

    /// Copies the converted frames from `first` on; only if `isActive`.
    func copy(first: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        let channels = format.channelCount
        for index in 0..<(count * channels) { output[index] = samples[first * channels + index] }
    }
}

/// Converts samples to interleaved 32-bit floats, in which integers of up to 24 bits are exact.
enum SampleConverter {
    static func supports(_ format: AVSampleFormat) -> Bool {
        format.rawValue >= AV_SAMPLE_FMT_U8.rawValue && format.rawValue < AV_SAMPLE_FMT_NB.rawValue
    }

    /// Converts the frames `first ..< first + count` to the channels of `StreamStart.format(of:)`; silence if the format is not supported.
    static func convert(_ frame: UnsafePointer<AVFrame>, first: Int, count: Int, channels: Int, into output: UnsafeMutablePointer<Float>) {
        if let mix = AmbisonicMix(frame) { return mix.convert(frame, first: first, count: count, into: output) }
        convertChannels(frame, first: first, count: count, channels: channels, into: output)
    }

    /// Converts the samples of all channels.
    static func convertChannels(_ frame: UnsafePointer<AVFrame>, first: Int, count: Int, channels: Int, into output: UnsafeMutablePointer<Float>) {
        let format = AVSampleFormat(rawValue: frame.pointee.format)
        guard let planes = frame.pointee.extended_data else {
            output.update(repeating: 0, count: count * channels)
            return
        }
        switch av_get_packed_sample_fmt(format) {
        case AV_SAMPLE_FMT_U8: run(planes, format, first, count, channels, output) { (sample: UInt8) in (Float(sample) - 128) * 0x1p-7 }
        case AV_SAMPLE_FMT_S16: run(planes, format, first, count, channels, output) { (sample: Int16) in Float(sample) * 0x1p-15 }
        case AV_SAMPLE_FMT_S32: run(planes, format, first, count, channels, output) { (sample: Int32) in Float(sample) * 0x1p-31 }
        case AV_SAMPLE_FMT_S64: run(planes, format, first, count, channels, output) { (sample: Int64) in Float(sample) * 0x1p-63 }
        case AV_SAMPLE_FMT_FLT: run(planes, format, first, count, channels, output) { (sample: Float) in sample }
        case AV_SAMPLE_FMT_DBL: run(planes, format, first, count, channels, output) { (sample: Double) in Float(sample) }
        default: output.update(repeating: 0, count: count * channels)
        }
    }

    @inline(__always)
    private static func run<Sample>(
        _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, _ format: AVSampleFormat, _ first: Int, _ count: Int, _ channels: Int,
        _ output: UnsafeMutablePointer<Float>, _ float: (Sample) -> Float
    ) {
        guard av_sample_fmt_is_planar(format) != 0 else {
            guard let plane = planes[0] else { return output.update(repeating: 0, count: count * channels) }
            let input = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + first * channels
            for index in 0..<(count * channels) { output[index] = float(input[index]) }
            return
        }
        if channels == 2, let left = planes[0], let right = planes[1] {
            let left = UnsafeRawPointer(left).assumingMemoryBound(to: Sample.self) + first
            let right = UnsafeRawPointer(right).assumingMemoryBound(to: Sample.self) + first
            for index in 0..<count {
                output[2 * index] = float(left[index])
                output[2 * index + 1] = float(right[index])
            }
            return
        }
        for channel in 0..<channels {
            guard let plane = planes[channel] else {
                for index in 0..<count { output[index * channels + channel] = 0 }
                continue
            }
            let input = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + first
            for index in 0..<count { output[index * channels + channel] = float(input[index]) }
        }
    }
}
