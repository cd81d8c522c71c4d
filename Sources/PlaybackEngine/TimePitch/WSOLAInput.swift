/// The input that time stretching may still need, and two reduced copies for the search: the guide (the channels mixed to one), and the coarse guide
/// (with fewer frames). Frames are numbered from the last reset on. Before frame 0, and after `finish`, there is silence. Only `init` allocates.
final class WSOLAInput {
    let channelCount: Int
    /// The number of frames of the guide for each frame of the coarse guide.
    let decimation: Int
    /// The input frame at index 0, a multiple of `decimation`.
    private(set) var origin = 0
    /// The number of the frame after the last appended one.
    private(set) var end = 0
    private var coarseEnd = 0
    private let capacity: Int
    private let margin: Int
    private let samples: UnsafeMutablePointer<Float>
    private let guide: UnsafeMutablePointer<Float>
    private let coarse: UnsafeMutablePointer<Float>
    private let kernel: UnsafeMutablePointer<Float>

    init(frames: Int, channelCount: Int, decimation: Int) {
        self.channelCount = channelCount
        self.decimation = decimation
        margin = (SincInterpolator.tapCount + 2 * decimation) / decimation * decimation
        capacity = (frames + 2 * margin + 2 * decimation) / decimation * decimation
        samples = .allocate(capacity: capacity * channelCount)
        guide = .allocate(capacity: capacity)
        coarse = .allocate(capacity: capacity / decimation)
        kernel = .allocate(capacity: 2 * decimation - 1)
        samples.initialize(repeating: 0, count: capacity * channelCount)
        guide.initialize(repeating: 0, count: capacity)
        coarse.initialize(repeating: 0, count: capacity / decimation)
        for index in 0..<(2 * decimation - 1) {
            (kernel + index).initialize(to: Float(min(index + 1, 2 * decimation - 1 - index)) / Float(decimation * decimation))
        }
        reset()
    }

    deinit {
        samples.deallocate()
        guide.deallocate()
        coarse.deallocate()
        kernel.deallocate()
    }

    /// Discards all input; the next frame has the number 0.
    func reset() {
        origin = -margin
        end = 0
        coarseEnd = 0
        samples.update(repeating: 0, count: margin * channelCount)
        guide.update(repeating: 0, count: margin)
        coarse.update(repeating: 0, count: margin / decimation)
    }

    /// The first frame of the input; the frames stored before it are only for interpolation.
    var start: Int { origin + margin }
    /// The free capacity, in frames.
    var freeFrames: Int { max(0, capacity - margin - (end - origin)) }

    func samples(at frame: Int) -> UnsafePointer<Float> { UnsafePointer(samples + (frame - origin) * channelCount) }
    /// The guide, mixed with unequal weights, so that channels of opposite phase do not cancel each other.
    func guide(at frame: Int) -> UnsafePointer<Float> { UnsafePointer(guide + (frame - origin)) }
    /// The guide after a low-pass filter; index 0 belongs to input frame 0.
    func coarse(at index: Int) -> UnsafePointer<Float> { UnsafePointer(coarse + (index - origin / decimation)) }
    var coarseLimit: Int { coarseEnd }

    /// Appends up to `count` frames, and returns their number.
    func append(_ input: UnsafePointer<Float>, count: Int) -> Int {
        let taken = min(count, freeFrames)
        guard taken > 0 else { return 0 }
        let offset = end - origin
        (samples + offset * channelCount).update(from: input, count: taken * channelCount)
        mix(offset, taken)
        end += taken
        reduce()
        return taken
    }

    /// Appends silence, once, at the end of the input.
    func finish() {
        let offset = end - origin
        let count = capacity - offset
        (samples + offset * channelCount).update(repeating: 0, count: count * channelCount)
        (guide + offset).update(repeating: 0, count: count)
        reduce(upTo: end + margin / 2)
    }

    /// Discards earlier frames, if there are so many that copying the rest is worthwhile.
    func discard(before frame: Int) {
        let wanted = (frame - margin - origin) / decimation * decimation
        guard wanted > capacity / 4 || (wanted > 0 && freeFrames == 0) else { return }
        let kept = end - origin - wanted
        guard kept >= 0 else { return }
        samples.update(from: samples + wanted * channelCount, count: kept * channelCount)
        guide.update(from: guide + wanted, count: kept)
        let coarseKept = coarseEnd - (origin + wanted) / decimation
        if coarseKept > 0 { coarse.update(from: coarse + wanted / decimation, count: coarseKept) }
        origin += wanted
    }

    private func mix(_ offset: Int, _ count: Int) {
        let target = guide + offset
        let source = samples + offset * channelCount
        switch channelCount {
        case 1: target.update(from: source, count: count)
        case 2: for index in 0..<count { target[index] = source[2 * index] + 0.625 * source[2 * index + 1] }
        default:
            for index in 0..<count {
                var sum: Float = 0
                for channel in 0..<channelCount { sum += source[index * channelCount + channel] * (channel & 1 == 0 ? 1 : 0.625) }
                target[index] = sum
            }
        }
    }

    private func reduce() { reduce(upTo: end) }

    /// Computes the frames of the coarse guide up to frame `limit` of the guide.
    private func reduce(upTo limit: Int) {
        while coarseEnd * decimation + decimation <= limit {
            let first = guide + (coarseEnd * decimation - (decimation - 1) - origin)
            coarse[coarseEnd - origin / decimation] = SampleLoops.product(first, kernel, count: 2 * decimation - 1)
            coarseEnd += 1
        }
    }
}
