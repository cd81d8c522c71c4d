import CFFmpeg
import PlaybackEngine

extension SwrHandle {
    /// Makes a converter between two audio formats; samples are interleaved floats on both sides. `ResamplingFilter` describes the conversion of the
    /// sample rate.
    ///
    /// - Parameter idle: The converters of closed media. If one of them has the same formats and quality, it is reset and returned instead of a new
    ///   one.
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
        // A converter is kept after use only if it has filters of usual size: without filters, a new one is made at once, and the filters of extreme
        // ratios take too much memory.
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
        // A down-mix to fewer channels is scaled so that it cannot clip.
        av_opt_set_double(object, "rematrix_maxval", 1, 0)
        // A mono channel is copied to both output channels unchanged; FFmpeg would reduce its level by 3 dB.
        if input.channelCount == 1, output.channelLayout == .stereo { swr_set_matrix(context, [1, 1], 1) }
        let opened = swr_init(context)
        guard opened >= 0 else { throw FFmpegError.error(opened, while: .converting) }
        return handle
    }

    /// Discards the input and the positions of the converter, so that it is like a new one, but keeps its filters.
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

/// The ratio of the two sample rates of a conversion, in lowest terms, and the arithmetic with this ratio.
struct Ratio {
    /// The number of input frames in one period: after a period, the positions of an input frame and an output frame coincide again.
    let input: Int64
    /// The number of output frames in one period.
    let output: Int64

    init(from input: Int, to output: Int) {
        let divisor = Ratio.greatestCommonDivisor(input, output)
        self.input = Int64(input / divisor)
        self.output = Int64(output / divisor)
    }

    /// Returns the duration of `count` input frames in output frames, rounded to the nearest whole number.
    func outputFrames(_ count: Int64) -> Int64 { Ratio.bounded(av_rescale_rnd(count, output, input, AV_ROUND_NEAR_INF)) }
    /// Returns the number of output frames up to the end of `count` input frames that begin `offset` output frames after output frame 0. The number
    /// is rounded to the nearest whole number; `remainder` is the exact end minus the rounded one, in output frames.
    func outputFrames(_ count: Int64, offset: Double) -> (frames: Int64, remainder: Double) {
        let whole = Ratio.bounded(av_rescale_rnd(count, output, input, AV_ROUND_DOWN))
        // The fraction is computed from the remainder of a division by `input`, so that it is as precise for a large count as for a small one.
        let part = Double(count % input * output % input) / Double(input) + offset
        return (max(0, whole + Int64(part.rounded())), part - part.rounded())
    }
    /// Returns the input frame at or before the output frame `position`.
    func inputFrame(at position: Int64) -> Int64 { Ratio.bounded(av_rescale_rnd(position, input, output, AV_ROUND_DOWN)) }
    /// Replaces the value with which FFmpeg marks an overflow by a position after all real ones, which is small enough to be added to other
    /// positions.
    private static func bounded(_ frames: Int64) -> Int64 { frames == .min ? .max / 4 : min(frames, .max / 4) }

    static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (a, b) = (first, second)
        while b != 0 { (a, b) = (b, a % b) }
        return max(1, a)
    }
}
