/// Copies decoded audio into the ring, with the item's gain, and stretched at a rate other than 1. The engine's thread owns it.
final class Renderer {
    private var channelCount = 0
    private static let scratchFrames = 4096
    private var scratch: [Float] = []
    private var pitch: (any TimePitch)?
    private var rate = 1.0
    /// The output frame at which the stretching began, and the number of media frames that were stretched since then (`fed`).
    private var origin: Int64 = 0
    private var fed: Int64 = 0
    /// The samples with the gain applied; empty before the first use.
    private var scaled: [Float] = []
    /// The greatest magnitude that stays within full scale after the volume is applied.
    private var fullScale: Float = 1
    private var clippedFrames = 0
    private let makePitch: (PitchAlgorithm, AudioFormat) -> any TimePitch

    init(makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch) { self.makePitch = makePitch }

    /// Prepares for audio with this number of channels.
    func prepare(channelCount: Int) {
        guard channelCount != self.channelCount else { return }
        self.channelCount = channelCount
        scratch = [Float](repeating: 0, count: Self.scratchFrames * channelCount)
        scaled = []
        reset()
    }

    var isStretching: Bool { pitch != nil }

    /// The output frame at which the next media frame will be heard; nil without stretching, because it is then the end of the ring.
    var nextOutputFrame: Int64? {
        pitch == nil ? nil : origin + Int64((Double(fed) / rate).rounded())
    }

    /// Ends the stretching, because the next audio does not continue the preceding one.
    func reset() {
        pitch = nil
        fed = 0
    }

    /// Begins the stretching: the next media frame becomes output frame `origin`.
    func stretch(by algorithm: PitchAlgorithm, _ format: AudioFormat, rate: Double, at origin: Int64) {
        let pitch = makePitch(algorithm.renderer(for: rate), format)
        pitch.reset(rate: rate)
        self.pitch = pitch
        self.rate = rate
        self.origin = origin
        fed = 0
    }

    /// Renders a block from index `offset` on, as far as the ring has capacity. Returns the consumed media frames and the produced output frames.
    /// - Parameter gain: The factor of the samples; exactly 1 does not change them.
    func render(_ block: AudioBlock, from offset: Int, gain: Float, into ring: RenderRing) -> (consumed: Int, produced: Int) {
        guard let input = block.samples.baseAddress, block.channelCount == channelCount else { return (block.frameCount - offset, 0) }
        let start = input + offset * channelCount
        let count = block.frameCount - offset
        if pitch != nil { return stretch(start, count: count, gain: gain, into: ring) }
        guard gain != 1 else {
            let written = write(start, frameCount: count, into: ring)
            return (written, written)
        }
        let part = min(count, min(Self.scratchFrames, ring.freeFrames))
        scratch.withUnsafeMutableBufferPointer { scratch in
            for sample in 0..<(part * channelCount) { scratch[sample] = start[sample] * gain }
        }
        let written = scratch.withUnsafeBufferPointer { write($0.baseAddress!, frameCount: part, into: ring) }
        return (written, written)
    }

    /// Sets the volume, 0…1, that the output will apply: the volume decides which frames count as over full scale.
    func setVolume(_ volume: Float) { fullScale = volume > 0 ? 1 / volume : .infinity }

    /// The number of frames over full scale since the last call.
    func takeClippedFrames() -> Int {
        defer { clippedFrames = 0 }
        return clippedFrames
    }

    private func write(_ samples: UnsafePointer<Float>, frameCount: Int, into ring: RenderRing) -> Int {
        let written = ring.write(samples, frameCount: frameCount)
        // Without the sign, the bit patterns of floats have the order of their magnitudes.
        var peak: UInt32 = 0
        for index in 0..<(written * channelCount) { peak = max(peak, samples[index].magnitude.bitPattern) }
        // A NaN has the largest pattern, and for a NaN the negated comparison is true.
        if !(Float(bitPattern: peak) <= fullScale) { clippedFrames += clipped(samples, frameCount: written) }
        return written
    }

    private func clipped(_ samples: UnsafePointer<Float>, frameCount: Int) -> Int {
        var count = 0
        for frame in 0..<frameCount {
            let first = frame * channelCount
            if (first..<(first + channelCount)).contains(where: { abs(samples[$0]) > fullScale }) { count += 1 }
        }
        return count
    }

    /// Renders the audio that remains in the stretcher, and ends the stretching. Returns false if the ring is full before.
    func drain(into ring: RenderRing) -> Bool {
        var silence: Float = 0
        while pitch != nil {
            guard ring.freeFrames > 0 else { return false }
            if stretch(&silence, count: 0, isEnd: true, into: ring).produced == 0 { pitch = nil }
        }
        return true
    }

    /// Applies the gain to frames and then stretches them, so that the gain changes exactly at the boundary of two items.
    private func stretch(_ input: UnsafePointer<Float>, count: Int, gain: Float, into ring: RenderRing) -> (consumed: Int, produced: Int) {
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

    private func stretch(_ input: UnsafePointer<Float>, count: Int, isEnd: Bool, into ring: RenderRing) -> (consumed: Int, produced: Int) {
        guard let pitch else { return (0, 0) }
        let capacity = min(Self.scratchFrames, ring.freeFrames)
        let (consumed, produced) = scratch.withUnsafeMutableBufferPointer { buffer in
            pitch.process(input, frameCount: count, isEnd: isEnd, into: buffer.baseAddress!, capacity: capacity)
        }
        fed += Int64(consumed)
        if produced > 0 { _ = scratch.withUnsafeBufferPointer { write($0.baseAddress!, frameCount: produced, into: ring) } }
        return (consumed, produced)
    }
}
