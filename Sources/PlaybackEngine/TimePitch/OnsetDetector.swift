/// Finds onsets in audio: clicks, strokes, consonants. Time stretching must neither move, double nor skip onsets.
///
/// An onset is a millisecond in which the energy of the differences between adjacent samples is more than eight times that of each of the 25
/// preceding milliseconds. So many milliseconds are compared, because the pulses of a low voice, which follow each other within 25 ms, are no onsets.
/// One thread owns the detector; only its initializer allocates memory.
struct OnsetDetector {
    private static let threshold: Float = 8
    private static let memory = 25
    /// The time after an onset in which no other onset is detected, in milliseconds.
    private static let refractory = 30
    /// The mean square of the differences between adjacent samples below which no onset is detected: about −80 dB of full scale.
    private static let floor: Float = 1e-8
    private static let limit = 64

    private let frameLength: Int
    /// The number of the input frame at which the next millisecond to examine begins.
    private var position = 0
    private var recent: [Float]
    private var slot = 0
    private var quiet = 0
    private var onsets: [Int]

    init(sampleRate: Int) {
        frameLength = max(8, sampleRate / 1000)
        recent = Array(repeating: 0, count: Self.memory)
        onsets = []
        onsets.reserveCapacity(Self.limit)
    }

    mutating func reset() {
        position = 0
        slot = 0
        quiet = 0
        for index in recent.indices { recent[index] = 0 }
        onsets.removeAll(keepingCapacity: true)
    }

    /// The number of the input frame at the first onset that was detected and not removed; nil if no onset was detected.
    var next: Int? { onsets.first }

    /// Removes the first detected onset.
    mutating func removeNext() { onsets.removeFirst() }

    /// Searches for onsets in the input that was added to the history since the last call.
    mutating func scan(_ history: WSOLAInput) {
        // A millisecond is examined only after the next one has arrived too, so that the largest step of an onset is known when the onset is
        // detected.
        while position + 2 * frameLength <= history.end {
            let samples = history.guide(at: position)
            let energy = Self.energy(samples, count: frameLength)
            let loudest = recent.max() ?? 0
            if quiet > 0 { quiet -= 1 }
            if quiet == 0, energy > Self.floor * Float(frameLength), energy > Self.threshold * loudest, onsets.count < Self.limit {
                onsets.append(position + Self.attack(samples, count: 2 * frameLength))
                quiet = Self.refractory
            }
            recent[slot] = energy
            slot = (slot + 1) % Self.memory
            position += frameLength
        }
    }

    /// Returns Σ (x[i] − x[i − 1])² over `count` samples: the energy of the differences. The memory before `samples` must contain the preceding
    /// sample, x[−1].
    private static func energy(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        SampleLoops.squaredDifference(samples, samples - 1, count: count)
    }

    /// Returns the index of the first sample whose step from the preceding sample is at least a quarter of the largest step.
    private static func attack(_ samples: UnsafePointer<Float>, count: Int) -> Int {
        var largest: Float = 0
        for index in 0..<count { largest = max(largest, abs(samples[index] - samples[index - 1])) }
        var index = 0
        while index < count - 1 && abs(samples[index] - samples[index - 1]) < largest / 4 { index += 1 }
        return index
    }
}
