/// Copies decoded sound into the ring, louder or softer where the gain is not 1, stretched in time where the rate is not 1.
/// Owned by the engine's thread.
struct Renderer {
    let channelCount: Int
    /// Frames that `scratch` holds.
    private static let scratchFrames = 4096
    private var scratch: [Float]
    private var pitch: (any TimePitch)?
    private var rate = 1.0
    /// The output frame that the first media frame given since the stretch began has become.
    private var origin: Int64 = 0
    private var fed: Int64 = 0
    /// What every sample of the next sound is multiplied by: an item's loudness. Exactly 1 leaves it as it is.
    var gain: Float = 1
    /// Room for sound with its gain on its way to the stretcher; empty until it is needed.
    private var scaled: [Float] = []

    init(channelCount: Int) {
        self.channelCount = channelCount
        scratch = [Float](repeating: 0, count: Self.scratchFrames * channelCount)
    }

    var isStretching: Bool { pitch != nil }

    /// The output frame of the next media frame while stretching, nil otherwise (then it is the ring's next).
    var nextOutputFrame: Int64? {
        pitch == nil ? nil : origin + Int64((Double(fed) / rate).rounded())
    }

    /// Forgets everything: the next sound has nothing to do with the last.
    mutating func reset() {
        pitch = nil
        fed = 0
    }

    /// Renders at `rate` from the next frame on, which becomes output frame `origin`.
    mutating func stretch(with pitch: any TimePitch, rate: Double, at origin: Int64) {
        pitch.reset(rate: rate)
        self.pitch = pitch
        self.rate = rate
        self.origin = origin
        fed = 0
    }

    /// Renders a block from frame `offset` on as far as the ring has room; returns how many of its frames were taken and how many were made.
    mutating func render(_ block: AudioBlock, from offset: Int, into ring: RenderSource) -> (consumed: Int, produced: Int) {
        guard let input = block.samples.baseAddress, block.channelCount == channelCount else { return (block.frameCount - offset, 0) }
        let start = input + offset * channelCount
        let count = block.frameCount - offset
        if pitch != nil { return stretch(withGain: start, count: count, into: ring) }
        guard gain != 1 else {
            let written = ring.write(start, frameCount: count)
            return (written, written)
        }
        let part = min(count, min(Self.scratchFrames, ring.freeFrames))
        for sample in 0..<(part * channelCount) { scratch[sample] = start[sample] * gain }
        let written = scratch.withUnsafeBufferPointer { ring.write($0.baseAddress!, frameCount: part) }
        return (written, written)
    }

    /// Gives what the stretcher still holds and ends the stretch. False where the ring is full before that.
    mutating func drain(into ring: RenderSource) -> Bool {
        var silence: Float = 0
        while pitch != nil {
            guard ring.freeFrames > 0 else { return false }
            if stretch(&silence, count: 0, isEnd: true, into: ring).produced == 0 { pitch = nil }
        }
        return true
    }

    /// What is stretched has its gain already, so that the gain changes where the items do.
    private mutating func stretch(withGain input: UnsafePointer<Float>, count: Int, into ring: RenderSource) -> (consumed: Int, produced: Int) {
        guard gain != 1 else { return stretch(input, count: count, isEnd: false, into: ring) }
        let part = min(count, Self.scratchFrames)
        if scaled.isEmpty { scaled = [Float](repeating: 0, count: Self.scratchFrames * channelCount) }
        for sample in 0..<(part * channelCount) { scaled[sample] = input[sample] * gain }
        let samples = scaled
        return samples.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { stretch($0, count: part, isEnd: false, into: ring) } ?? (part, 0)
        }
    }

    private mutating func stretch(_ input: UnsafePointer<Float>, count: Int, isEnd: Bool, into ring: RenderSource) -> (consumed: Int, produced: Int) {
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
