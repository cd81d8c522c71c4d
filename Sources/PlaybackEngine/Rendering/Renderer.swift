/// Copies decoded audio into the ring, louder or softer if the gain is not 1, stretched in time if the rate is not 1. Owned by the engine's thread.
final class Renderer {
    private var channelCount = 0
    /// Frames that `scratch` holds.
    private static let scratchFrames = 4096
    private var scratch: [Float] = []
    private var pitch: (any TimePitch)?
    private var rate = 1.0
    /// The output frame that the first media frame given since the stretch began has become.
    private var origin: Int64 = 0
    private var fed: Int64 = 0
    /// Samples with their gain on their way to the stretcher; empty until they are needed.
    private var scaled: [Float] = []
    private let makePitch: (PitchAlgorithm, AudioFormat) -> any TimePitch

    /// - Parameter makePitch: makes the stretcher of a pitch algorithm for a format.
    init(makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch) { self.makePitch = makePitch }

    /// Prepares for blocks of another number of channels.
    func prepare(channelCount: Int) {
        guard channelCount != self.channelCount else { return }
        self.channelCount = channelCount
        scratch = [Float](repeating: 0, count: Self.scratchFrames * channelCount)
        scaled = []
        reset()
    }

    var isStretching: Bool { pitch != nil }

    /// The output frame of the next media frame while stretching, nil otherwise (then it is the ring's next).
    var nextOutputFrame: Int64? {
        pitch == nil ? nil : origin + Int64((Double(fed) / rate).rounded())
    }

    /// Forgets everything: the next sound has nothing to do with the last.
    func reset() {
        pitch = nil
        fed = 0
    }

    /// Renders at `rate` from the next frame on, which becomes output frame `origin`.
    func stretch(by algorithm: PitchAlgorithm, _ format: AudioFormat, rate: Double, at origin: Int64) {
        let pitch = makePitch(algorithm.renderer(for: rate), format)
        pitch.reset(rate: rate)
        self.pitch = pitch
        self.rate = rate
        self.origin = origin
        fed = 0
    }

    /// Renders a block from frame `offset` on, as far as the ring has space. Returns how many of its frames were taken and how many were made.
    ///
    /// - Parameter gain: the factor for every sample: an item's loudness. Exactly 1 leaves the samples as they are.
    func render(_ block: AudioBlock, from offset: Int, gain: Float, into ring: RenderSource) -> (consumed: Int, produced: Int) {
        guard let input = block.samples.baseAddress, block.channelCount == channelCount else { return (block.frameCount - offset, 0) }
        let start = input + offset * channelCount
        let count = block.frameCount - offset
        if pitch != nil { return stretch(start, count: count, gain: gain, into: ring) }
        guard gain != 1 else {
            let written = ring.write(start, frameCount: count)
            return (written, written)
        }
        let part = min(count, min(Self.scratchFrames, ring.freeFrames))
        scratch.withUnsafeMutableBufferPointer { scratch in
            for sample in 0..<(part * channelCount) { scratch[sample] = start[sample] * gain }
        }
        let written = scratch.withUnsafeBufferPointer { ring.write($0.baseAddress!, frameCount: part) }
        return (written, written)
    }

    /// Gives what the stretcher still holds and ends the stretch. False where the ring is full before that.
    func drain(into ring: RenderSource) -> Bool {
        var silence: Float = 0
        while pitch != nil {
            guard ring.freeFrames > 0 else { return false }
            if stretch(&silence, count: 0, isEnd: true, into: ring).produced == 0 { pitch = nil }
        }
        return true
    }

    /// What is stretched has its gain already, so that the gain changes where the items do.
    private func stretch(_ input: UnsafePointer<Float>, count: Int, gain: Float, into ring: RenderSource) -> (consumed: Int, produced: Int) {
        guard gain != 1 else { return stretch(input, count: count, isEnd: false, into: ring) }
        let part = min(count, Self.scratchFrames)
        if scaled.isEmpty { scaled = [Float](repeating: 0, count: Self.scratchFrames * channelCount) }
        scaled.withUnsafeMutableBufferPointer { scaled in
            for sample in 0..<(part * channelCount) { scaled[sample] = input[sample] * gain }
        }
        let samples = scaled
        return samples.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { stretch($0, count: part, isEnd: false, into: ring) } ?? (part, 0)
        }
    }

    private func stretch(_ input: UnsafePointer<Float>, count: Int, isEnd: Bool, into ring: RenderSource) -> (consumed: Int, produced: Int) {
        guard let pitch else { return (0, 0) }
        let room = min(Self.scratchFrames, ring.freeFrames)
        let (consumed, produced) = scratch.withUnsafeMutableBufferPointer { buffer in
            pitch.process(input, frameCount: count, isEnd: isEnd, into: buffer.baseAddress!, capacity: room)
        }
        fed += Int64(consumed)
        if produced > 0 { _ = scratch.withUnsafeBufferPointer { ring.write($0.baseAddress!, frameCount: produced) } }
        return (consumed, produced)
    }
}
