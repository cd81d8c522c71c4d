/// Renders sound at another speed. Owned by the engine's thread.
///
/// For implementers: no allocation in `process`; the output is in step with the input: after `reset(rate:)`, output frame n stands for media frame
/// n · |rate| from the reset, to within the algorithm's own grain, for ever (no drift).
public protocol TimePitch: AnyObject {
    /// Forgets all input and starts at speed `rate` (> 0), input frame 0 being the next one given.
    func reset(rate: Double)
    /// Takes input and gives output, as much as both allow. `isEnd`: no input follows, give what is left. Never both counts 0 unless it
    /// needs more input (or, at the end, has given everything).
    func process(
        _ input: UnsafePointer<Float>, frameCount: Int, isEnd: Bool, into output: UnsafeMutablePointer<Float>, capacity: Int
    ) -> (consumed: Int, produced: Int)
    /// Input frames that must follow the present position before output can be given, at most.
    var lookahead: Int { get }
}

extension TimePitch {
    /// The nearest speed that every algorithm can render, 1/32 … 32; 1 for what is no number.
    public static func limited(_ rate: Double) -> Double { rate.isNaN ? 1 : min(max(rate, 1.0 / 32), 32) }

    /// What `process` does at rate 1: every sample as it is.
    public static func copy(
        _ input: UnsafePointer<Float>, frameCount: Int, into output: UnsafeMutablePointer<Float>, capacity: Int, channelCount: Int
    ) -> (consumed: Int, produced: Int) {
        let count = min(frameCount, capacity)
        output.update(from: input, count: count * channelCount)
        return (count, count)
    }
}
