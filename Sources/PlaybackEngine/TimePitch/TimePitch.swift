/// A stretcher, which renders audio at another rate, on the engine's thread.
///
/// For implementers: `process` must not allocate. After `reset(rate:)`, output frame n corresponds to media frame n · |rate|, within the algorithm's
/// granularity and without drift.
public protocol TimePitch: AnyObject {
    /// Discards all input; `rate` is > 0.
    func reset(rate: Double)
    /// As much as the two buffers allow. `isEnd`: no further input follows, and the rest is produced. Both counts are 0 only if more input is needed,
    /// or all has been produced.
    func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int)
    /// Input frames that have to follow the reading position, at most.
    var lookahead: Int { get }
}

extension TimePitch {
    /// 1/32 to 32, which every algorithm can render; for NaN, 1.
    public static func limited(_ rate: Double) -> Double { rate.isNaN ? 1 : min(max(rate, 1.0 / 32), 32) }

    /// As `process` does at rate 1.
    public static func copy(
        _ input: UnsafePointer<Float>, frameCount: Int, into output: UnsafeMutablePointer<Float>, capacity: Int, channelCount: Int
    ) -> (consumed: Int, produced: Int) {
        let count = min(frameCount, capacity)
        output.update(from: input, count: count * channelCount)
        return (count, count)
    }
}
