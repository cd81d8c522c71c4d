import PlaybackEngine

/// A summary of samples in cells of equal length: minimum, maximum and mean power. It depends on nothing but the samples.
///
/// At first, each cell has one frame. Whenever `capacity` cells are full, they are merged in pairs, which limits the memory for any length.
struct Waveform: Sendable {
    static let capacity = 1 << 16

    /// A cell, over all channels; the sum of the squares is divided by the number of channels.
    struct Cell: Sendable {
        var minimum: Float
        var maximum: Float
        var sum: Float

        init(minimum: Float, maximum: Float, sum: Float) {
            self.minimum = minimum
            self.maximum = maximum
            self.sum = sum
        }

        /// Summarises interleaved samples. Infinite and NaN samples count as silence.
        init(_ samples: UnsafeBufferPointer<Float>, channels: Int) {
            var (low, high, sum) = (Float.infinity, -Float.infinity, Float(0))
            for sample in samples {
                let value = sample.isFinite ? sample : 0
                low = value < low ? value : low
                high = value > high ? value : high
                sum += value * value
            }
            self.init(minimum: low, maximum: high, sum: sum / Float(channels))
        }

        static func + (first: Cell, second: Cell) -> Cell {
            Cell(minimum: min(first.minimum, second.minimum), maximum: max(first.maximum, second.maximum), sum: first.sum + second.sum)
        }
    }

    private(set) var frameCount: Int64 = 0
    let sampleRate: Int
    /// The number of frames of a complete cell.
    private(set) var length = 1
    private(set) var cells: [Cell] = []
    /// The last, incomplete cell, and its number of frames.
    private(set) var last = Cell(minimum: 0, maximum: 0, sum: 0)
    private(set) var lastCount = 0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The duration in seconds.
    var duration: Double { Double(frameCount) / Double(sampleRate) }
    /// The duration of a cell, in seconds. The extrema of a band may come from samples that are this far outside the band.
    var resolution: Double { Double(length) / Double(sampleRate) }
    var byteCount: Int { cells.capacity * MemoryLayout<Cell>.stride }

    mutating func append(_ block: AudioBlock) {
        let samples = block.samples
        let channels = block.channelCount
        var index = 0
        while index < samples.count {
            let frames = min(length - lastCount, (samples.count - index) / channels)
            let part = Cell(UnsafeBufferPointer(rebasing: samples[index..<(index + frames * channels)]), channels: channels)
            last = lastCount == 0 ? part : last + part
            lastCount += frames
            index += frames * channels
            if lastCount == length { endCell() }
        }
        frameCount += Int64(block.frameCount)
    }

    private mutating func endCell() {
        cells.append(last)
        lastCount = 0
        guard cells.count == Self.capacity else { return }
        for index in 0..<(Self.capacity / 2) { cells[index] = cells[2 * index] + cells[2 * index + 1] }
        cells.removeLast(Self.capacity / 2)
        length *= 2
    }

    /// The minimum, the maximum and the root mean square of each of several bands of equal length.
    struct Bands: Sendable, Equatable {
        var minimum: [Double] = []
        var maximum: [Double] = []
        var rms: [Double] = []
    }

    /// Divides the range from `start` to `end`, in seconds, into `number` bands. Returns the bands before the first one whose samples have not all
    /// been appended, or all if the medium `isComplete`. A band that begins or ends inside a cell has the extrema of the whole cell.
    func bands(_ number: Int, from start: Double, to end: Double, isComplete: Bool) -> Bands {
        var bands = Bands()
        let (first, width) = (start * Double(sampleRate), (end - start) * Double(sampleRate) / Double(number))
        // Because of rounding, the last band may end less than a frame after the last frame.
        let known = Double(frameCount) + 0.5
        for band in 0..<number {
            let (low, high) = (first + width * Double(band), first + width * Double(band + 1))
            guard isComplete || high <= known else { break }
            let found = cell(from: low, to: high)
            bands.minimum.append(Double(found.minimum))
            bands.maximum.append(Double(found.maximum))
            bands.rms.append((found.power / (high - low)).squareRoot())
        }
        return bands
    }

    /// The summary of the part between two positions, in frames.
    private func cell(from low: Double, to high: Double) -> (minimum: Float, maximum: Float, power: Double) {
        var (minimum, maximum, power) = (Float.infinity, -Float.infinity, 0.0)
        let count = cells.count + (lastCount > 0 ? 1 : 0)
        var number = max(0, Int(min(low / Double(length), Double(count))))
        while number < count, Double(number) * Double(length) < high {
            let (cell, frames) = number < cells.count ? (cells[number], length) : (last, lastCount)
            let start = Double(number) * Double(length)
            let overlap = min(high, start + Double(frames)) - max(low, start)
            if overlap > 0 {
                minimum = min(minimum, cell.minimum)
                maximum = max(maximum, cell.maximum)
                power += Double(cell.sum) * overlap / Double(frames)
            }
            number += 1
        }
        return minimum > maximum ? (0, 0, 0) : (minimum, maximum, power)
    }
}
