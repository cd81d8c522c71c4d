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
