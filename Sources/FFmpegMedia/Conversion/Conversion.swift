import CFFmpeg
import PlaybackEngine

/// Converts a stream to another sample rate or channel layout, at exact positions: output frame n is the audio at (n − `offset`) / output rate
/// seconds, even after a seek.
///
/// In every `ratio.input` input frames there is one position at which an input frame and an output frame coincide. After a seek, the resampler starts
/// at such a position, early enough to fill its filter before the wanted frame. So the samples are equal to those of an uninterrupted conversion.
///
/// At a joint of two converted media, the samples are those of one conversion of both. The last output frames of the preceding audio are computed
/// with the beginning of the following audio (`finish`). The resampler of the following audio first converts the frames of `lead`, which end with the
/// last input frames of the preceding audio (`follow`). The length of the lead places the first frame of the audio at `offset`.
final class Conversion: SampleSource {
    private let stream: any SampleSource
    let format: AudioFormat
    private let ratio: Ratio
    private let resampler: SwrHandle
    private let input: UnsafeMutablePointer<Float>
    private static let inputFrames = 4096
    /// Whether the resampler may contain more output frames, because its last call filled the output buffer. These frames are fetched before the
    /// resampler receives new input, so that frames never accumulate in it.
    private var isBehind = false
    /// The number of input frames on each side of an output frame that its filter uses; an upper bound. 0 if the sample rate is not converted.
    private let reach: Int64

    /// The position of the next delivered frame, in output frames.
    private(set) var position: Int64 = 0
    /// The position of the next frame that the resampler returns, in output frames. After a seek, the resampler's first frames have positions before
    /// the target: they fill the resampler's filter and are discarded.
    private var produced: Int64
    /// The part of the input that has been delivered to the resampler, relative to the input's end.
    private var end = InputEnd.ahead
    /// The length of the converted audio, in output frames; nil until the input stream has ended.
    private var total: Int64?
    /// The start of the audio relative to output frame 0, in output frames (from −½ to ½).
    private let offset: Double
    /// The exact end of the converted audio minus its end in whole frames, in output frames. Valid after the input stream has ended.
    private(set) var remainder = 0.0
    /// The input frames at the joints with other audio: the lead, the frames read ahead, and the beginning of the following audio.
    private var edges: JointEdges
    /// The conversion of the following audio, whose first frames are in `edges`; nil if no other conversion has been joined.
    private weak var follower: Conversion?

    private enum InputEnd {
        /// The stream has more input.
        case ahead
        /// The stream has ended, and it is not known whether other audio follows.
        case reached
        /// The stream has ended, and the resampler receives the beginning of the following audio, if any, for the last output frames.
        case continued
        /// The resampler delivers only its last frames.
        case flushing
    }

    init(_ stream: any SampleSource, to format: AudioFormat, offset: Double = 0, _ quality: Resampler = .best) throws(PlaybackError) {
        self.offset = offset
        self.stream = stream
        self.format = format
        ratio = Ratio(from: stream.format.sampleRate, to: format.sampleRate)
        resampler = try SwrHandle.make(from: stream.format, to: format, quality)
        let isResampled = stream.format.sampleRate != format.sampleRate
        reach = isResampled ? Int64(ResamplingFilter(from: stream.format.sampleRate, to: format.sampleRate, quality).length) : 0
        let lead = isResampled && offset != 0 ? JointLead(offset, ratio, reach: reach) : JointLead()
        produced = -lead.output
        edges = JointEdges(channelCount: stream.format.channelCount, keeping: JointLead.maximumInput(ratio, reach: reach), lead)
        input = .allocate(capacity: Conversion.inputFrames * stream.format.channelCount)
    }

    deinit { input.deallocate() }

    var skippedPackets: Int { stream.skippedPackets }
    var isSeekable: Bool { stream.isSeekable }
    var isPositionEstimated: Bool { stream.isPositionEstimated }

    func examine() throws(PlaybackError) -> Bool { try stream.examine() }
    func measure() throws(PlaybackError) { try stream.measure() }

    var duration: MediaDuration {
        switch stream.duration {
        case .unknown: .unknown
        case .estimated(let frames, _): .estimated(frames: ratio.outputFrames(frames), sampleRate: format.sampleRate)
        case .exact(let frames, _): .exact(frames: ratio.outputFrames(frames), sampleRate: format.sampleRate)
        }
    }

    /// Writes up to `capacity` converted frames from `position` on, and returns their number; 0 only at the end of the audio.
    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        while true {
            if let total, position >= total { return 0 }
            var count = try convert(into: output, capacity: capacity)
            if count == 0 {
                if awaitsFollower { return 0 }
                // If the resampler has delivered fewer frames than `total`, which is rounded, silence replaces the missing ones.
                guard end == .flushing, let total, position < total else {
                    if end == .flushing { return 0 }
                    continue
                }
                count = Int(min(Int64(capacity), total - position))
                output.update(repeating: 0, count: count * format.channelCount)
                produced += Int64(count)
            }
            // The frames before `position` were needed only to fill the filter, and are discarded.
            let first = produced - Int64(count)
            let dropped = Int(max(0, min(Int64(count), position - first)))
            var kept = count - dropped
            if let total { kept = Int(min(Int64(kept), total - position)) }
            guard kept > 0 else { continue }
            if dropped > 0 { output.update(from: output + dropped * format.channelCount, count: kept * format.channelCount) }
            position += Int64(kept)
            return kept
        }
    }

    /// Calls the resampler once, and returns the number of output frames that it delivered.
    private func convert(into output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        var available = 0
        if end != .flushing, !isBehind {
            available = try nextInput(atMost: share(of: capacity))
            if available == 0 {
                if end == .reached, edges.isEndOpen { return 0 }
                end = .flushing
            }
        }
        let isFlushing = end == .flushing
        var to: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(output).assumingMemoryBound(to: UInt8.self)
        var from: UnsafePointer<UInt8>? = UnsafeRawPointer(input).assumingMemoryBound(to: UInt8.self)
        let count =
            isFlushing
            ? swr_convert(resampler.raw, &to, Int32(clamping: capacity), nil, 0)
            : swr_convert(resampler.raw, &to, Int32(clamping: capacity), &from, Int32(available))
        if count < 0 { throw FFmpegError.error(count, while: .converting) }
        produced += Int64(count)
        isBehind = !isFlushing && Int(count) == capacity
        return Int(count)
    }

    /// Writes at most `limit` input frames to `input`, and returns their number; 0 after the last one. The lead is written first, then the stream,
    /// and last the beginning of the following audio.
    private func nextInput(atMost limit: Int) throws(PlaybackError) -> Int {
        if end == .ahead {
            var count = edges.takeBeginning(into: input, atMost: limit)
            if count == 0 { count = try stream.fill(input, capacity: limit) }
            edges.keep(input, count: count)
            if count > 0 { return count }
            end = .reached
            let length = stream.isPositionEstimated ? nil : stream.length
            (total, remainder) = ratio.outputFrames(length ?? stream.position, offset: offset)
        }
        guard end == .continued else { return 0 }
        return edges.takeFollowing(into: input, atMost: limit)
    }

    /// Returns the number of input frames from which the resampler makes about `capacity` output frames.
    private func share(of capacity: Int) -> Int {
        let frames = Int64(min(capacity, 1 << 20)) * ratio.input / ratio.output
        return Int(max(1, min(frames, Int64(Conversion.inputFrames))))
    }

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        try seek(to: target, before: before, after: after, allowsEstimate: false)
    }

    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        // The last position at which an input and an output frame coincide, early enough before the target to fill the resampler's filter.
        let step = max(0, (ratio.inputFrame(at: target + lead.output) - reach) / ratio.input)
        let start = max(0, step * ratio.input - lead.input)
        let landed = try stream.seek(
            to: start, before: ratio.inputFrame(at: before), after: ratio.inputFrame(at: after), allowsEstimate: allowsEstimate)
        if landed != start, before > 0 || after > 0 {
            if let first = try beginNear(landed, target, before: before, after: after) { return first }
            _ = try stream.seek(to: start, before: 0, after: 0, allowsEstimate: allowsEstimate)
        }
        try begin(step, at: target)
        return target
    }

    /// Begins the conversion near the estimated position `landed` that the stream has reached. Returns the position of the first frame to deliver, in
    /// output frames; nil if it is not within the tolerances.
    private func beginNear(_ landed: Int64, _ target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64? {
        // The stream is read on to the next position at which an input and an output frame coincide. `reach` input frames later, the filter is full.
        let step = (landed + lead.input) / ratio.input + 1
        let first = ratio.outputFrames(step * ratio.input + reach) + 1 - lead.output
        let start = step * ratio.input - lead.input
        guard start - landed <= Int64(stream.format.sampleRate), first >= target - before, first - after <= target else { return nil }
        while stream.position < start {
            let left = min(Int64(Conversion.inputFrames), start - stream.position)
            guard try stream.fill(input, capacity: Int(left)) > 0 else { return nil }
        }
        try begin(step, at: first)
        return first
    }

    /// Restarts the resampler with the next input frame, which coincides with an output frame. `step` is the number of such coincidences before it.
    /// Delivery begins with output frame `position`; earlier frames only fill the filter.
    private func begin(_ step: Int64, at position: Int64) throws(PlaybackError) {
        try resampler.reset()
        produced = step * ratio.output - lead.output
        self.position = position
        end = .ahead
        isBehind = false
        total = nil
        edges.begin(at: step * ratio.input)
    }
}

/// The joints of converted audio with other audio. Without a joint, the filter has no audio before the first frame or after the last frame.
extension Conversion {
    private var lead: JointLead { edges.lead }

    /// Whether `fill` has returned 0 at the end of the input, and waits for `finish`.
    var awaitsFollower: Bool { end == .reached && edges.isEndOpen && !isBehind }

    /// Sets whether `fill` returns 0 at the end of the input until `finish`, because other audio may follow.
    func keepEndOpen(_ isOpen: Bool) { edges.isEndOpen = isOpen }

    /// Continues the delivery after the end of the input.
    ///
    /// - Parameter next: the conversion of the following audio, which has delivered nothing yet; nil if none follows, or if its audio is not yet
    ///   known. Conversions from other formats are not joined.
    func finish(with next: Conversion?) throws(PlaybackError) {
        guard end == .reached else { return }
        // If the same audio follows again, for example after a seek, its lead is not computed again, so that the frames at the joint are the same.
        if let next, follower === next {
            edges.repeatFollowing()
        } else {
            var head: [Float] = []
            if let next, canJoin(next) {
                head = try next.beginning(Int(reach))
                next.follow(edges.recent)
                follower = next
            }
            edges.follow(with: head)
        }
        end = .continued
    }

    private func canJoin(_ next: Conversion) -> Bool {
        next.stream.format == stream.format && next.format == format && next.isAtStart && reach > 0 && JointLead.isPossible(ratio)
    }

    /// Lets the audio follow other audio. `samples` are the last input frames of the other audio.
    private func follow(_ samples: [Float]) {
        edges.precede(with: samples, JointLead(offset, ratio, reach: reach))
        produced = -lead.output
    }

    /// Whether nothing has been delivered or converted, and the stream is at its start, except for the frames read ahead.
    private var isAtStart: Bool {
        position == 0 && produced == -lead.output && end == .ahead && edges.isAtStart && stream.position == Int64(edges.headFrames)
    }

    /// Returns the first `count` input frames of the stream; fewer if the stream is shorter. They remain the first input of this conversion.
    private func beginning(_ count: Int) throws(PlaybackError) -> [Float] {
        while edges.headFrames < count {
            let read = try stream.fill(input, capacity: min(count - edges.headFrames, Conversion.inputFrames))
            guard read > 0 else { break }
            edges.appendHead(input, count: read)
        }
        return edges.head
    }
}
