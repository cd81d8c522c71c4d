import CFFmpeg
import PlaybackEngine
import Synchronization

extension SwrHandle {
    /// Makes a converter, with interleaved floats on both sides.
    /// - Parameter idle: The idle converters, of which one with the same formats and quality is reset and returned instead of a new one.
    static func make(
        from input: AudioFormat, to output: AudioFormat, _ quality: Resampler = .best, idle: IdleConverters = .shared
    ) throws(PlaybackError) -> SwrHandle {
        let key = IdleConverters.Key(input: input, output: output, quality: quality)
        if let handle = idle.take(key) {
            try handle.reset()
            return handle
        }
        var context: OpaquePointer?
        var from = AVChannelLayout(input.channelLayout), to = AVChannelLayout(output.channelLayout)
        let code = swr_alloc_set_opts2(
            &context, &to, AV_SAMPLE_FMT_FLT, Int32(output.sampleRate), &from, AV_SAMPLE_FMT_FLT, Int32(input.sampleRate), 0, nil)
        guard code >= 0, let context else { throw FFmpegError.error(code, while: .converting) }
        let isResampled = input.sampleRate != output.sampleRate
        let filter = ResamplingFilter(from: input.sampleRate, to: output.sampleRate, quality)
        // Neither a converter without filters is kept, which is made at once, nor one for an extreme ratio, whose filters take too much memory.
        let handle = SwrHandle(owning: context, lentBy: isResampled && !filter.isDouble ? idle : nil, for: key)
        let object = UnsafeMutableRawPointer(context)
        if isResampled {
            av_opt_set_int(object, "filter_size", Int64(filter.taps), 0)
            av_opt_set_int(object, "filter_type", Int64(SWR_FILTER_TYPE_KAISER.rawValue), 0)
            av_opt_set_double(object, "kaiser_beta", quality.beta, 0)
            av_opt_set_double(object, "cutoff", filter.cutoff, 0)
            av_opt_set_int(object, "phase_shift", Int64(filter.phaseShift), 0)
            av_opt_set_int(object, "exact_rational", filter.isExact ? 1 : 0, 0)
            av_opt_set_int(object, "linear_interp", filter.isExact ? 0 : 1, 0)
            let samples = filter.isDouble ? AV_SAMPLE_FMT_DBLP : AV_SAMPLE_FMT_FLTP
            av_opt_set_int(object, "internal_sample_fmt", Int64(samples.rawValue), 0)
        }
        // This value prevents that a down-mix clips.
        av_opt_set_double(object, "rematrix_maxval", 1, 0)
        if let mix = ChannelMix(from: input.channelLayout, to: output.channelLayout) {
            swr_set_matrix(context, mix.factors, Int32(input.channelCount))
        }
        let opened = swr_init(context)
        guard opened >= 0 else { throw FFmpegError.error(opened, while: .converting) }
        return handle
    }

    /// Prepares the converter for other audio, and keeps its filters.
    func reset() throws(PlaybackError) {
        swr_close(raw)
        let opened = swr_init(raw)
        guard opened >= 0 else { throw FFmpegError.error(opened, while: .converting) }
    }
}

extension AVChannelLayout {
    init(_ layout: ChannelLayout) {
        self.init()
        let code = layout.mask == 0 ? -1 : av_channel_layout_from_mask(&self, layout.mask)
        if code < 0 {
            order = AV_CHANNEL_ORDER_UNSPEC
            nb_channels = Int32(layout.count)
        }
    }
}

/// The ratio of two sample rates, in lowest terms.
struct Ratio {
    /// The number of input frames in a period, after which positions of input and output frames coincide again.
    let input: Int64
    /// The number of output frames in a period.
    let output: Int64

    init(from input: Int, to output: Int) {
        let divisor = Ratio.greatestCommonDivisor(input, output)
        self.input = Int64(input / divisor)
        self.output = Int64(output / divisor)
    }

    /// The number of output frames for `count` input frames, rounded to the nearest.
    func outputFrames(_ count: Int64) -> Int64 { Ratio.bounded(av_rescale_rnd(count, output, input, AV_ROUND_NEAR_INF)) }
    /// The number of output frames up to the end of `count` input frames that begin at `offset`, rounded; `remainder` is the exact minus the rounded
    /// end.
    func outputFrames(_ count: Int64, offset: Double) -> (frames: Int64, remainder: Double) {
        let whole = Ratio.bounded(av_rescale_rnd(count, output, input, AV_ROUND_DOWN))
        // This form is as precise for a large count as for a small one.
        let part = Double(count % input * output % input) / Double(input) + offset
        return (max(0, whole + Int64(part.rounded())), part - part.rounded())
    }
    /// The last input frame at or before output position `position`.
    func inputFrame(at position: Int64) -> Int64 { Ratio.bounded(av_rescale_rnd(position, input, output, AV_ROUND_DOWN)) }
    /// Limits a number of frames, so that sums with it do not overflow. FFmpeg's mark of an overflow (`.min`) becomes the limit.
    private static func bounded(_ frames: Int64) -> Int64 { frames == .min ? .max / 4 : min(frames, .max / 4) }

    static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (a, b) = (first, second)
        while b != 0 { (a, b) = (b, a % b) }
        return max(1, a)
    }
}

/// The sample rate converters of closed media, kept for the next medium with the same formats: computing the filters takes 1.5 ms (44.1 to 48 kHz) to
/// 190 ms (11.025 to 384 kHz).
final class IdleConverters: Sendable {
    /// The formats and the quality, which determine the filters and the mix of channels.
    struct Key: Hashable {
        let input: AudioFormat
        let output: AudioFormat
        let quality: Resampler
    }

    private struct Entry: @unchecked Sendable {
        let key: Key
        /// The idle converter. Nothing else points to it, so any thread may use or free it.
        let converter: OpaquePointer
    }

    /// The converters of all media: three are enough for queues that alternate between two sample rates.
    static let shared = IdleConverters(limit: 3)

    private let limit: Int
    private let entries = Mutex<[Entry]>([])

    /// - Parameter limit: The number of converters; the one that has been idle for longest is freed. Filters take at most 8 MB, usually 0.2 to 0.6.
    init(limit: Int) { self.limit = limit }

    deinit { entries.withLock { $0 }.forEach { _ = SwrHandle(owning: $0.converter) } }

    /// Takes an idle converter, which must be reset before use, and is added again afterwards; nil if there is none for `key`.
    func take(_ key: Key) -> SwrHandle? {
        let entry = entries.withLock { entries in entries.lastIndex { $0.key == key }.map { entries.remove(at: $0) } }
        return entry.map { SwrHandle(owning: $0.converter, lentBy: self, for: key) }
    }

    /// Adds a converter, and takes ownership of it.
    func add(_ converter: OpaquePointer, for key: Key) {
        let entry = Entry(key: key, converter: converter)
        let oldest = entries.withLock { entries in
            entries.append(entry)
            return entries.count > limit ? entries.removeFirst() : nil
        }
        if let oldest { _ = SwrHandle(owning: oldest.converter) }
    }
}
