/// The lead of a conversion: the number of frames before the audio at which a resampler's positions begin, at the input's and at the output's rate.
///
/// The lead shifts the audio by a fraction of a frame without another filter. The audio begins `offset` output frames after an output frame; with
/// `offset` rounded to the filter's phases, there is a whole number of input frames (`input`) that lasts `offset` longer than a whole number of
/// output frames (`output`).
struct JointLead: Equatable {
    var input: Int64 = 0
    var output: Int64 = 0

    init() {}

    /// The lead for audio that begins `offset` output frames after frame 0. It has about `reach` input frames or more, so that the start of the
    /// resampler has no influence.
    init(_ offset: Double, _ ratio: Ratio, reach: Int64) {
        guard Self.isPossible(ratio) else { return }
        let phase = Int64((offset * Double(ratio.input)).rounded())
        // `ratio.input · output + phase` is a multiple of `ratio.output`.
        guard let shift = (0..<ratio.output).first(where: { (ratio.input * $0 + phase) % ratio.output == 0 }) else { return }
        let periods = (reach + ratio.input) / ratio.input
        output = shift + periods * ratio.output
        input = (ratio.input * shift + phase) / ratio.output + periods * ratio.input
    }

    /// Whether a lead is possible. A ratio with thousands of phases needs none: the shift is inaudible, and the lead would last up to a second.
    static func isPossible(_ ratio: Ratio) -> Bool { ratio.input <= 5120 && ratio.output <= 5120 }

    static func maximumInput(_ ratio: Ratio, reach: Int64) -> Int { isPossible(ratio) ? Int(reach + 3 * ratio.input) : 0 }
}

/// The input frames at joints: the end of the preceding audio, the beginning that was read ahead, and the beginning of the following audio.
struct JointEdges {
    private let channelCount: Int
    private let kept: Int
    /// The samples at the end of the lead; the frames of the lead before them are silent.
    private var preceding: [Float] = []
    private var leadLeft = 0
    /// The input frames that were read ahead for the conversion of the preceding audio.
    private(set) var head: [Float] = []
    private var headPosition = 0
    private var following: [Float] = []
    private var followingPosition = 0
    /// The newest input frames, as many as the longest lead has.
    private(set) var recent: [Float] = []
    /// Whether no frame was taken since `init` or a seek to the start.
    private(set) var isAtStart = true

    private(set) var lead: JointLead
    /// Whether other audio may follow.
    var isEndOpen = false

    init(channelCount: Int, keeping frames: Int, _ lead: JointLead) {
        self.channelCount = channelCount
        self.lead = lead
        kept = frames * channelCount
        leadLeft = Int(lead.input) * channelCount
    }

    var headFrames: Int { head.count / channelCount }

    // MARK: Joints

    mutating func appendHead(_ samples: UnsafePointer<Float>, count: Int) {
        head.append(contentsOf: UnsafeBufferPointer(start: samples, count: count * channelCount))
    }

    /// Makes the lead end with `samples`, the last input frames of the preceding audio.
    mutating func precede(with samples: [Float], _ lead: JointLead) {
        self.lead = lead
        leadLeft = Int(lead.input) * channelCount
        preceding = Array(samples.suffix(leadLeft))
    }

    mutating func follow(with samples: [Float]) { (following, followingPosition) = (samples, 0) }
    mutating func repeatFollowing() { followingPosition = 0 }

    // MARK: Input

    /// Begins after a seek. `position` counts from the start of the lead; the audio begins with input frame `lead.input`.
    mutating func begin(at position: Int64) {
        leadLeft = Int(max(0, lead.input - position)) * channelCount
        // After the seek, the stream itself delivers its first frames again.
        (head, headPosition) = ([], 0)
        recent = []
        isAtStart = position == 0
    }

    /// Takes frames of the lead, then of `head`, and returns their number; 0 after the last frame.
    mutating func takeBeginning(into output: UnsafeMutablePointer<Float>, atMost limit: Int) -> Int {
        isAtStart = false
        if leadLeft > 0 {
            let count = min(leadLeft, limit * channelCount)
            for index in 0..<count {
                let place = preceding.count - leadLeft + index
                output[index] = place >= 0 ? preceding[place] : 0
            }
            leadLeft -= count
            return count / channelCount
        }
        return Self.take(head, &headPosition, into: output, atMost: limit * channelCount) / channelCount
    }

    /// Takes frames of the following audio, and returns their number; 0 after the last frame.
    mutating func takeFollowing(into output: UnsafeMutablePointer<Float>, atMost limit: Int) -> Int {
        Self.take(following, &followingPosition, into: output, atMost: limit * channelCount) / channelCount
    }

    /// Keeps the newest input frames for the conversion of the following audio.
    mutating func keep(_ samples: UnsafePointer<Float>, count: Int) {
        let new = UnsafeBufferPointer(start: samples, count: count * channelCount)
        recent = new.count >= kept ? Array(new.suffix(kept)) : Array(recent.suffix(kept - new.count)) + new
    }

    private static func take(_ samples: [Float], _ position: inout Int, into output: UnsafeMutablePointer<Float>, atMost limit: Int) -> Int {
        let count = min(samples.count - position, limit)
        for index in 0..<count { output[index] = samples[position + index] }
        position += count
        return count
    }
}
