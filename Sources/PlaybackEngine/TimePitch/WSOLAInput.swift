/// The input that time stretching may still need, and two reduced copies of the input for the similarity search. One copy is the guide (the channels
/// mixed to one), the other is the coarse guide (with fewer frames). The frames of the input are numbered from the last reset on.
///
/// All memory is allocated by `init`. Before frame 0 the history contains silence; after `finish`, the history also contains silence after the last
/// frame.
final class WSOLAInput {
    let channelCount: Int
    /// The number of frames of the guide (the channels mixed to one) for each frame of the coarse guide.
    let decimation: Int
    /// The number of the input frame at index 0 of the storage, a multiple of `decimation`.
    private(set) var origin = 0
    /// The number of the input frame after the last appended frame.
    private(set) var end = 0
    private var coarseEnd = 0
    private let capacity: Int
    private let margin: Int
    private let samples: UnsafeMutablePointer<Float>
    private let guide: UnsafeMutablePointer<Float>
    private let coarse: UnsafeMutablePointer<Float>
    private let kernel: UnsafeMutablePointer<Float>

    /// Allocates the memory for `frames` frames, and for a margin of silence at both ends.
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

    /// Empties the history, because the audio that is appended next does not continue the preceding audio. The next appended frame has the number 0.
    func reset() {
        origin = -margin
        end = 0
        coarseEnd = 0
        samples.update(repeating: 0, count: margin * channelCount)
        guide.update(repeating: 0, count: margin)
        coarse.update(repeating: 0, count: margin / decimation)
    }

    /// The number of the first input frame that can be read. Some earlier frames are stored too, because interpolation between samples needs them.
    var start: Int { origin + margin }
    /// The free capacity of the history, in frames.
    var freeFrames: Int { max(0, capacity - margin - (end - origin)) }

    func samples(at frame: Int) -> UnsafePointer<Float> { UnsafePointer(samples + (frame - origin) * channelCount) }
    /// Returns the samples of the guide from frame `frame` on. The guide is all channels mixed to one, with unequal weights, so that channels of
    /// opposite phase do not cancel each other.
    func guide(at frame: Int) -> UnsafePointer<Float> { UnsafePointer(guide + (frame - origin)) }
    /// Returns the samples of the coarse guide from `index` on. The coarse guide is the guide after a low-pass filter, with one frame for each
    /// `decimation` frames of the guide. Index 0 of the coarse guide belongs to input frame 0.
    func coarse(at index: Int) -> UnsafePointer<Float> { UnsafePointer(coarse + (index - origin / decimation)) }
    /// The index after the last computed frame of the coarse guide (the reduced input for the search).
    var coarseLimit: Int { coarseEnd }

    /// Appends up to `count` frames of input to the history. Returns the number of appended frames.
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

    /// Appends silence after the last frame of input. `finish` is called once, at the end of the input.
    func finish() {
        let offset = end - origin
        let count = capacity - offset
        (samples + offset * channelCount).update(repeating: 0, count: count * channelCount)
        (guide + offset).update(repeating: 0, count: count)
        reduce(upTo: end + margin / 2)
    }

    /// Discards the input before frame `frame`, if so many frames can be discarded that copying the remaining frames is worthwhile.
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

    /// Computes those frames of the coarse guide that need only frames of the guide before number `limit`.
    private func reduce(upTo limit: Int) {
        while coarseEnd * decimation + decimation <= limit {
            let first = guide + (coarseEnd * decimation - (decimation - 1) - origin)
            coarse[coarseEnd - origin / decimation] = SampleLoops.product(first, kernel, count: 2 * decimation - 1)
            coarseEnd += 1
        }
    }
}
