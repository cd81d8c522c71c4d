/// Finds onsets in audio: clicks, strokes, consonants. Time stretching must neither move, double nor skip onsets.
///
/// An onset is a millisecond in which the energy of the differences between samples is more than eight times that of each of the 25 before: the
/// pulses of a low voice, which follow within 25 ms, are no onsets. One thread uses the detector; only `init` allocates.
struct OnsetDetector {
    private static let threshold: Float = 8
    private static let memory = 25
    /// The time after an onset in which no other is detected, in milliseconds.
    private static let refractory = 30
    /// The least mean square of the differences at an onset; about −80 dB of full scale.
    private static let floor: Float = 1e-8
    private static let limit = 64

    private let frameLength: Int
    /// The input frame of the next millisecond to examine.
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

    /// The input frame of the first onset that was not removed.
    var next: Int? { onsets.first }

    mutating func removeNext() { onsets.removeFirst() }

    /// Examines the input that was added since the last call.
    mutating func scan(_ history: WSOLAInput) {
        // A millisecond is examined after the next has arrived too, so that the largest step is known.
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

    /// The energy of the differences, Σ (x[i] − x[i − 1])²; x[−1] must be readable.
    private static func energy(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        SampleLoops.squaredDifference(samples, samples - 1, count: count)
    }

    /// The index of the first step of at least a quarter of the largest.
    private static func attack(_ samples: UnsafePointer<Float>, count: Int) -> Int {
        var largest: Float = 0
        for index in 0..<count { largest = max(largest, abs(samples[index] - samples[index - 1])) }
        var index = 0
        while index < count - 1 && abs(samples[index] - samples[index - 1]) < largest / 4 { index += 1 }
        return index
    }
}
