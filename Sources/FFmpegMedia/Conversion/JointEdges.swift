/// The frames by which a resampler's positions begin before the audio: `input` at the rate of its input, `output` at that of its output.
///
/// Output frame n is the audio at n − `offset` output frames. In lowest terms of the ratio this is a multiple of one phase of the filter, so a shift
/// by whole frames on both sides gives it exactly.
struct JointLead: Equatable {
    var input: Int64 = 0
    var output: Int64 = 0

    init() {}

    /// The lead for audio that begins `offset` output frames after output frame 0. It is at least `reach` input frames, so that the resampler's own
    /// start has no influence on the audio.
    init(_ offset: Double, _ ratio: Ratio, reach: Int64) {
        guard Self.isPossible(ratio) else { return }
        let phase = Int64((offset * Double(ratio.input)).rounded())
        // `ratio.input · output + phase` has to be a multiple of `ratio.output`.
        guard let shift = (0..<ratio.output).first(where: { (ratio.input * $0 + phase) % ratio.output == 0 }) else { return }
        let periods = (reach + ratio.input) / ratio.input
        output = shift + periods * ratio.output
        input = (ratio.input * shift + phase) / ratio.output + periods * ratio.input
    }

    /// Whether audio of a ratio has a lead. The positions of a ratio of thousands of phases are so near to each other that no shift is heard, and the
    /// lead would last up to a second.
    static func isPossible(_ ratio: Ratio) -> Bool { ratio.input <= 5120 && ratio.output <= 5120 }

    /// The maximum number of input frames in a lead.
    static func maximumInput(_ ratio: Ratio, reach: Int64) -> Int { isPossible(ratio) ? Int(reach + 3 * ratio.input) : 0 }
}

/// The input frames of a conversion at its joints with other audio: the end of the preceding audio, the part of the converted audio's beginning that
/// was read ahead, and the beginning of the following audio.
struct JointEdges {
    private let channelCount: Int
    private let kept: Int
    /// The frames of the lead: the last are those of the preceding audio, and the others are silent.
    private var preceding: [Float] = []
    private var leadLeft = 0
    /// The first frames of the audio, which were read ahead for the conversion of the preceding audio.
    private(set) var head: [Float] = []
    private var headPosition = 0
    private var following: [Float] = []
    private var followingPosition = 0
    /// The last frames of input, at most as many as a lead has.
    private(set) var recent: [Float] = []
    /// Whether no input was taken.
    private(set) var isAtStart = true

    /// The frames before the audio's start.
    private(set) var lead: JointLead
    /// Whether the delivery stops at the end of the input, because other audio may follow.
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

    /// Adds a lead that ends with `samples`.
    mutating func precede(with samples: [Float], _ lead: JointLead) {
        self.lead = lead
        leadLeft = Int(lead.input) * channelCount
        preceding = Array(samples.suffix(leadLeft))
    }

    mutating func follow(with samples: [Float]) { (following, followingPosition) = (samples, 0) }
    mutating func repeatFollowing() { followingPosition = 0 }

    // MARK: Input

    /// Begins the input again after a seek. `position` is the first input frame that the resampler needs, counted from the start of the lead. The
    /// audio begins with input frame `lead.input`.
    mutating func begin(at position: Int64) {
        leadLeft = Int(max(0, lead.input - position)) * channelCount
        // The stream was moved, so it delivers its first frames itself.
        (head, headPosition) = ([], 0)
        recent = []
        isAtStart = position == 0
    }

    /// Writes at most `limit` frames of the lead or of the head, and returns their number.
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

    /// Writes at most `limit` frames of the following audio, and returns their number.
    mutating func takeFollowing(into output: UnsafeMutablePointer<Float>, atMost limit: Int) -> Int {
        Self.take(following, &followingPosition, into: output, atMost: limit * channelCount) / channelCount
    }

    /// Keeps the last frames of the input for the following audio.
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
