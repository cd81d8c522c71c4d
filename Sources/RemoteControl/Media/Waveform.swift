import PlaybackEngine

/// The loudness of a medium over time: the peak and the mean power of intervals of equal length. A value, whose results depend only on the samples.
///
/// At first an interval has one frame. If there are more intervals than `capacity`, neighbouring pairs are merged. So a medium of any length, known
/// or not, uses the same memory.
struct Waveform: Sendable {
    /// The maximum number of intervals that are stored.
    static let capacity = 8192

    private(set) var frameCount: Int64 = 0
    let sampleRate: Int
    /// The number of frames in a complete interval.
    private(set) var length = 1
    private var peaks: [Float] = []
    /// The sum of the squared samples of each interval, averaged over the channels.
    private var sums: [Double] = []
    /// The peak (largest magnitude), the sum of the squared samples, and the number of frames of the last interval, which is incomplete.
    private var peak: Float = 0
    private var sum = 0.0
    private var count = 0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The duration of the appended audio, in seconds.
    var duration: Double { Double(frameCount) / Double(sampleRate) }

    mutating func append(_ block: AudioBlock) {
        let samples = block.samples
        let channels = block.channelCount
        let scale = 1 / Double(channels)
        var index = 0
        while index < samples.count {
            var square: Double = 0
            for channel in 0..<channels {
                let sample = samples[index + channel]
                // Skip infinite and NaN samples, which count as silence.
                guard sample.isFinite else { continue }
                peak = max(peak, abs(sample))
                square += Double(sample) * Double(sample)
            }
            sum += square * scale
            count += 1
            if count == length { endStretch() }
            index += channels
        }
        frameCount += Int64(block.frameCount)
    }

    private mutating func endStretch() {
        peaks.append(peak)
        sums.append(sum)
        (peak, sum, count) = (0, 0, 0)
        guard peaks.count == Self.capacity else { return }
        for index in 0..<(Self.capacity / 2) {
            peaks[index] = max(peaks[2 * index], peaks[2 * index + 1])
            sums[index] = sums[2 * index] + sums[2 * index + 1]
        }
        peaks.removeLast(Self.capacity / 2)
        sums.removeLast(Self.capacity / 2)
        length *= 2
    }

    /// Divides the medium into `number` parts of equal length, and returns the peak and the RMS value (root mean square) of each part.
    func points(_ number: Int) -> (peaks: [Double], rms: [Double]) {
        var highest = [Double](repeating: 0, count: number)
        var roots = [Double](repeating: 0, count: number)
        let total = Double(frameCount)
        guard total > 0 else { return (highest, roots) }
        let stretches = peaks.count + (count > 0 ? 1 : 0)
        for point in 0..<number {
            let start = total * Double(point) / Double(number)
            let end = total * Double(point + 1) / Double(number)
            var power = 0.0
            var stretch = min(stretches - 1, Int(start / Double(length)))
            while stretch < stretches, Double(stretch * length) < end {
                let isWhole = stretch < peaks.count
                let frames = isWhole ? length : count
                let first = Double(stretch * length)
                let overlap = min(end, first + Double(frames)) - max(start, first)
                if overlap > 0 {
                    highest[point] = max(highest[point], Double(isWhole ? peaks[stretch] : peak))
                    power += (isWhole ? sums[stretch] : sum) * overlap / Double(frames)
                }
                stretch += 1
            }
            roots[point] = (power / (end - start)).squareRoot()
        }
        return (highest, roots)
    }
}

extension Waveform {
    /// Reads a medium from its beginning to its end. Blocks. Throws the reader's errors, and `cancelled` if `interrupt` was raised.
    /// - Parameter limit: The maximum number of frames; the initialiser returns nil if the medium has more.
    init?(_ reader: any AudioReader, interrupt: Interrupt, limit: Int64) throws(PlaybackError) {
        self.init(sampleRate: reader.info.format.sampleRate)
        while let block = try reader.read() {
            guard !interrupt.isRaised else { throw PlaybackError(.cancelled, "The waveform was cancelled.") }
            append(block)
            if frameCount > limit { return nil }
        }
    }
}
