/// A stretcher, which renders audio at another rate. The engine's thread owns the stretcher.
///
/// For implementers: `process` must not allocate. After `reset(rate:)`, output frame n corresponds to media frame n · |rate| since the reset, within
/// the algorithm's own granularity and without drift.
public protocol TimePitch: AnyObject {
    /// Discards all input and restarts the stretcher at `rate` (> 0). The next input frame after a reset is frame 0.
    func reset(rate: Double)
    /// Consumes as much input and produces as much output as the two buffers allow. If `isEnd` is true, no further input follows, and the remaining
    /// output is produced. Both returned counts of frames are 0 only if more input is needed, or if all output has been produced at the end.
    func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int)
    /// The maximum number of input frames that have to follow the stretcher's reading position before output can be produced.
    var lookahead: Int { get }
}

extension TimePitch {
    /// Returns the rate from 1/32 to 32 that is nearest to `rate`, because every pitch algorithm can render that range; for NaN, 1.
    public static func limited(_ rate: Double) -> Double { rate.isNaN ? 1 : min(max(rate, 1.0 / 32), 32) }

    /// Copies every sample unchanged, as `process` does at rate 1.
    public static func copy(
        _ input: UnsafePointer<Float>, frameCount: Int, into output: UnsafeMutablePointer<Float>, capacity: Int, channelCount: Int
    ) -> (consumed: Int, produced: Int) {
        let count = min(frameCount, capacity)
        output.update(from: input, count: count * channelCount)
        return (count, count)
    }
}
