/// Renders audio at another rate. Owned by the engine's thread.
///
/// For implementers: `process` must not allocate. After `reset(rate:)`, output frame n corresponds to media frame n · |rate| since the reset, within
/// the algorithm's own granularity and without drift.
public protocol TimePitch: AnyObject {
    /// Discards all input and restarts at `rate` (> 0). The next input frame is frame 0.
    func reset(rate: Double)
    /// Consumes input and produces output, as much as both allow. If `isEnd` is true, no input follows, and the remaining output is produced. Both
    /// counts are 0 only if more input is needed, or if all output was produced at the end.
    func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int)
    /// The maximum number of input frames that have to follow the reading position before output can be produced.
    var lookahead: Int { get }
}

extension TimePitch {
    /// Returns the nearest rate that every algorithm can render, from 1/32 to 32; for NaN, 1.
    public static func limited(_ rate: Double) -> Double { rate.isNaN ? 1 : min(max(rate, 1.0 / 32), 32) }

    /// Performs `process` at rate 1: copies every sample unchanged.
    public static func copy(
        _ input: UnsafePointer<Float>, frameCount: Int, into output: UnsafeMutablePointer<Float>, capacity: Int, channelCount: Int
    ) -> (consumed: Int, produced: Int) {
        let count = min(frameCount, capacity)
        output.update(from: input, count: count * channelCount)
        return (count, count)
    }
}
