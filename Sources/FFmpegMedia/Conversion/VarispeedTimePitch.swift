import CFFmpeg
public import PlaybackEngine

/// Changes speed and pitch together, like a tape (`varispeed`): libswresample converts with the playback rate as the ratio of sample rates.
///
/// The rate is a fraction of numbers up to 500,000 (`fraction`), which is exact for rates with a few decimals, and otherwise off by less than 2 in
/// 10^6. So output frame n corresponds to media frame n · rate however long playback lasts.
public final class VarispeedTimePitch: TimePitch {
    private let format: AudioFormat
    private var context: ResamplerHandle?
    private var rate = 1.0
    /// The number of media frames consumed since `reset`.
    private var consumed: Int64 = 0
    /// The number of output frames produced since `reset`.
    private var produced: Int64 = 0
    private var isFlushed = false
    /// The number of media frames that the filter needs at the highest rate; the filter grows with the rate.
    public let lookahead = 2048

    public init(format: AudioFormat) { self.format = format }

    public func reset(rate: Double) {
        self.rate = rate
        (consumed, produced, isFlushed) = (0, 0, false)
        let (numerator, denominator) = Self.fraction(rate)
        context = ResamplerHandle(channelCount: format.channelCount, inputRate: numerator, outputRate: denominator)
    }

    public func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int) {
        guard let context, capacity > 0 else { return (0, 0) }
        if isEnd { return (0, finish(into: output, capacity: capacity, context)) }
        // As much input is taken as the output needs, minus the consumed input whose output was not delivered yet.
        let owed = Double(consumed) / rate - Double(produced)
        var taken = min(frameCount, Int(max(0, min(Double(Int32.max), (Double(capacity) - owed) * rate))))
        var made = context.convert(input, frameCount: taken, into: output, capacity: capacity)
        if taken == 0, made == 0, frameCount > 0 {
            taken = 1
            made = context.convert(input, frameCount: 1, into: output, capacity: capacity)
        }
        consumed += Int64(taken)
        produced += Int64(made)
        return (taken, made)
    }

    /// Renders the frames that remain in the filter, then silence, up to the media frames divided by the rate.
    private func finish(into output: UnsafeMutablePointer<Float>, capacity: Int, _ context: ResamplerHandle) -> Int {
        let total = Int64((Double(consumed) / rate).rounded())
        let wanted = Int(min(Int64(capacity), max(0, total - produced)))
        guard wanted > 0 else { return 0 }
        var made = isFlushed ? 0 : context.flush(into: output, capacity: wanted)
        if made == 0 {
            isFlushed = true
            made = wanted
            output.update(repeating: 0, count: wanted * format.channelCount)
        }
        produced += Int64(made)
        return made
    }

    /// The rate, limited to 1/64 to 64, as a fraction: the last convergent of its continued fraction whose numbers are at most 500,000.
    private static func fraction(_ rate: Double) -> (Int32, Int32) {
        let limit: Int64 = 500_000
        var (h0, k0, h1, k1): (Int64, Int64, Int64, Int64) = (0, 1, 1, 0)
        var rest = min(64, max(1.0 / 64, rate))
        for _ in 0..<40 {
            let whole = Int64(rest.rounded(.down))
            let (h2, k2) = (whole * h1 + h0, whole * k1 + k0)
            guard h2 <= limit, k2 <= limit else { break }
            (h0, k0, h1, k1) = (h1, k1, h2, k2)
            let part = rest - Double(whole)
            guard part > 1e-12 else { break }
            rest = 1 / part
        }
        // libswresample would treat small numbers as sample rates of a few hertz.
        let scale = max(1, 48_000 / max(h1, k1))
        return (Int32(h1 * scale), Int32(k1 * scale))
    }
}

/// An `SwrContext` that changes only the sample rate.
private final class ResamplerHandle {
    private var raw: OpaquePointer?
    private let channelCount: Int

    /// Makes the context; nil if libswresample refuses the rates.
    init?(channelCount: Int, inputRate: Int32, outputRate: Int32) {
        self.channelCount = channelCount
        var layout = AVChannelLayout()
        av_channel_layout_default(&layout, Int32(channelCount))
        var same = layout
        guard swr_alloc_set_opts2(&raw, &same, AV_SAMPLE_FMT_FLT, outputRate, &layout, AV_SAMPLE_FMT_FLT, inputRate, 0, nil) >= 0 else { return nil }
        let context = UnsafeMutableRawPointer(raw)
        av_opt_set_int(context, "filter_size", 32, 0)
        av_opt_set_int(context, "phase_shift", 10, 0)
        av_opt_set_int(context, "linear_interp", 1, 0)
        av_opt_set_double(context, "cutoff", 0.97, 0)
        guard swr_init(raw) >= 0 else {
            swr_free(&raw)
            return nil
        }
    }
    deinit { swr_free(&raw) }

    func convert(_ input: UnsafePointer<Float>, frameCount: Int, into output: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
        convert(UnsafeRawPointer(input).assumingMemoryBound(to: UInt8.self), Int32(clamping: frameCount), output, capacity)
    }

    /// Renders the frames that remain in the filter, after the end of the input.
    func flush(into output: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
        convert(nil, 0, output, capacity)
    }

    private func convert(_ input: UnsafePointer<UInt8>?, _ count: Int32, _ output: UnsafeMutablePointer<Float>, _ capacity: Int) -> Int {
        var inputPlane = input
        var outputPlane: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(output).assumingMemoryBound(to: UInt8.self)
        let made: Int32
        if input == nil {
            made = swr_convert(raw, &outputPlane, Int32(clamping: capacity), nil, 0)
        } else {
            made = swr_convert(raw, &outputPlane, Int32(clamping: capacity), &inputPlane, count)
        }
        return max(0, Int(made))
    }
}
