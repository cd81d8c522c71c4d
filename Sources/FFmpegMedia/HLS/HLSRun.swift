import CFFmpeg
import HTTPClient
import PlaybackEngine

/// The audio of one run of segments, which continue each other. Frame 0 is the first frame of its first segment.
///
/// Reading can begin at each segment: the timestamp of its first packet, compared with that of the run's first packet, gives its position. If the
/// timestamps are missing or contradict the playlist, the position is estimated, or everything before it is read.
final class HLSRun: SampleSource {
    /// An open reader, which has begun with a segment.
    private struct Entry {
        /// The stream in the format of the run.
        let stream: any SampleSource
        let bytes: BudgetedSource
        let end: HLSEnd
        /// The position of the reader's frame 0 in the run.
        let origin: Int64
        let isEstimated: Bool

        var position: Int64 { origin + stream.position }
    }
    private let feed: HLSFeed
    private let interrupt: Interrupt
    /// The indexes of the run's segments.
    private let indexes: Range<Int>
    /// The reader; nil after a seek that has failed, and at the end.
    private var entry: Entry?
    private var isOver = false
    /// The timestamp of the run's frame 0; nil if its first segment has none.
    private let start: HLSTimestamp?
    let format: AudioFormat
    /// The facts about the first segment that was opened.
    let info: MediaInfo
    private let preroll: Int64
    private(set) var position: Int64 = 0
    private(set) var duration: MediaDuration
    /// The packets that were skipped by former readers, and the segments that were missing.
    private var skippedBefore = 0
    private let scratch: UnsafeMutableBufferPointer<Float>

    /// The number of consecutive missing segments after which the run fails.
    private static let missingLimit = 10
    /// The time between the segment with which a seek begins and the audio that it needs, in seconds, because the playlist rounds durations.
    private static let margin = 0.1

    /// Opens the run at its first segment that the server has.
    ///
    /// - Parameter isContinuation: Whether the medium plays already, so that failed requests are repeated for longer.
    init(_ feed: HLSFeed, _ indexes: Range<Int>, isContinuation: Bool, interrupt: Interrupt) throws(PlaybackError) {
        self.feed = feed
        self.interrupt = interrupt
        self.indexes = indexes
        let opened = try HLSRun.open(feed, from: indexes.lowerBound, in: indexes, isContinuation: isContinuation, interrupt: interrupt)
        format = opened.stream.format
        preroll = opened.stream.start.traits.preroll
        let rate = format.sampleRate
        // Frame 0 remains where the playlist has it, if the first segments are missing.
        let origin = HLSRun.frames(feed, from: indexes.lowerBound, to: opened.index, rate: rate)
        start = opened.timestamp.map { $0.moved(by: -origin, rate: rate) }
        duration = .estimated(frames: HLSRun.frames(feed, from: indexes.lowerBound, to: indexes.upperBound, rate: rate), sampleRate: rate)
        info = MediaInfo(opened.stream, duration: duration)
        entry = Entry(stream: opened.stream, bytes: opened.bytes, end: opened.end, origin: origin, isEstimated: false)
        skippedBefore = opened.missing
        scratch = .allocate(capacity: 4096 * opened.stream.format.channelCount)
    }

    deinit { scratch.deallocate() }

    var isSeekable: Bool { true }
    var isPositionEstimated: Bool { entry?.isEstimated ?? false }
    var skippedPackets: Int { skippedBefore + (entry?.stream.skippedPackets ?? 0) }

    // MARK: Delivering

    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        if entry == nil, !isOver { try land(position, allowsEstimate: false) }
        while let entry {
            entry.bytes.noteProgress()
            let distance = entry.position - position
            if distance > 0 {
                // Segments are missing before the reader's first frame.
                let count = Int(min(Int64(capacity), distance))
                output.update(repeating: 0, count: count * format.channelCount)
                position += Int64(count)
                return count
            }
            if distance < 0 {
                // The reader begins before the end of the audio before it, which has been delivered.
                if try pass(entry, -distance) { continue }
            } else {
                let count = try read(entry, output, capacity: capacity)
                position += Int64(count)
                if count > 0 { return count }
            }
            guard try openNext(after: entry) else { break }
        }
        return 0
    }

    /// Begins with the segments after those of `entry`, which has ended before a missing one, or has become long. Returns false at the end of the
    /// run.
    private func openNext(after entry: Entry) throws(PlaybackError) -> Bool {
        let missing = entry.end.value.next
        do throws(PlaybackError) {
            if entry.end.value.isPaused {
                try resume(after: entry)
                return true
            }
            if missing < indexes.upperBound {
                close(entry)
                try enter(missing, after: entry)
                return true
            }
        } catch {
            // If the server has none of the last segments, the run ends before them, however many are gaps.
            let timeline = feed.timeline, count = (missing..<indexes.upperBound).count(where: { timeline[$0]?.segment.isGap == false })
            guard error.code == .fileNotFound, count < HLSRun.missingLimit else { throw error }
        }
        if !entry.isEstimated { duration = .exact(frames: entry.position, sampleRate: format.sampleRate) }
        isOver = true
        return false
    }

    /// Goes on after a reader that has become long: opens its last segments again, so that the decoder has what precedes the next one. If their
    /// timestamps do not show where they begin, the next one is opened.
    private func resume(after old: Entry) throws(PlaybackError) {
        let next = old.end.value.next
        close(old)
        if !old.isEstimated, preroll < CodecTraits.everything {
            var index = next - 1
            while index > indexes.lowerBound, HLSRun.frames(feed, from: index, to: next, rate: format.sampleRate) < preroll { index -= 1 }
            try enter(index, after: nil, least: next)
            guard let entry, entry.isEstimated || entry.origin > old.position - preroll else { return }
            close(entry)
        }
        try enter(next, after: old, least: next)
    }

    /// Closes the reader, before another one is opened.
    private func close(_ old: Entry) {
        skippedBefore += old.stream.skippedPackets
        entry = nil
    }

    /// Reads and discards up to `frames` frames; returns false at the end of the reader.
    private func pass(_ entry: Entry, _ frames: Int64) throws(PlaybackError) -> Bool {
        guard let output = scratch.baseAddress else { return false }
        return try read(entry, output, capacity: Int(min(frames, Int64(scratch.count / format.channelCount)))) > 0
    }

    /// Reads frames. After an error, also an interrupt, the reader may have lost a part of its packet, so the next call begins again at the position.
    private func read(_ entry: Entry, _ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        do throws(PlaybackError) { return try entry.stream.fill(output, capacity: capacity) } catch {
            close(entry)
            throw error
        }
    }

    // MARK: Seeking

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        try seek(to: target, before: before, after: after, allowsEstimate: false)
    }

    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position, entry != nil, allowsEstimate || !isPositionEstimated { return position }
        try land(target, allowsEstimate: allowsEstimate)
        return position
    }

    /// Moves to the frame `target`, or to the end of the run if it is shorter.
    private func land(_ target: Int64, allowsEstimate: Bool) throws(PlaybackError) {
        if let entry, !entry.isEstimated, target >= position, target - position <= Int64(2 * format.sampleRate) {
            // The audio up to a near target has been received.
        } else {
            var index = self.index(before: target)
            if start == nil, !allowsEstimate { index = indexes.lowerBound }
            while true {
                if let entry { close(entry) }
                (position, isOver) = (target, false)
                try enter(index, after: nil)
                guard let entry, index > indexes.lowerBound else { break }
                if entry.isEstimated, !allowsEstimate {
                    index = indexes.lowerBound
                } else if entry.origin > target - preroll {
                    // The segment begins later than the playlist says.
                    index -= 1
                } else {
                    break
                }
            }
        }
        let skipped = skippedPackets
        while let entry, entry.position < target {
            entry.bytes.noteProgress()
            if interrupt.isRaised { throw .cancelled }
            if try !pass(entry, target - entry.position) {
                position = entry.position
                guard try openNext(after: entry) else { break }
            }
        }
        // Damage before the target of a seek does not count.
        skippedBefore -= max(0, skippedPackets - skipped)
        position = target
    }

    /// The segment with which reading begins so early that decoding gives the correct frames from `target` on.
    private func index(before target: Int64) -> Int {
        let timeline = feed.timeline
        guard preroll < CodecTraits.everything, let base = timeline[indexes.lowerBound]?.start else { return indexes.lowerBound }
        let time = Double(max(0, target - preroll)) / Double(format.sampleRate) - HLSRun.margin
        let index = timeline.place(at: base + time)?.index ?? indexes.lowerBound
        let last = indexes.last { timeline[$0]?.segment.isGap == false } ?? indexes.lowerBound
        return max(indexes.lowerBound, min(index, last))
    }

    /// Opens a reader that begins with the segment `index`, or with the first one after it that the server has.
    ///
    /// - Parameter former: The reader of the audio before the segment, from whose end the position follows if the timestamps do not show it; nil if
    ///   there is none.
    /// - Parameter least: The index of the segment that the reader has to reach (`HLSEnd`).
    private func enter(_ index: Int, after former: Entry?, least: Int = 0) throws(PlaybackError) {
        let opened = try HLSRun.open(feed, from: index, in: indexes, least: least, isContinuation: true, interrupt: interrupt)
        skippedBefore += opened.missing
        let rate = format.sampleRate
        let expected = HLSRun.frames(feed, from: indexes.lowerBound, to: opened.index, rate: rate)
        let isStart = opened.index == indexes.lowerBound
        var stamped: Int64?
        if let start, let frames = opened.timestamp?.frames(since: start, near: expected, rate: rate) { stamped = opened.stream.aligned(frames) }
        let counted = former.map { $0.position + HLSRun.frames(feed, from: index, to: opened.index, rate: rate) }
        // An encoder may announce the full rate of HE-AAC only later.
        let stream: any SampleSource = opened.stream.format == format ? opened.stream : try Conversion(opened.stream, to: format)
        entry = Entry(
            stream: stream, bytes: opened.bytes, end: opened.end, origin: isStart ? 0 : stamped ?? counted ?? expected,
            isEstimated: !isStart && stamped == nil && (former?.isEstimated ?? true))
    }

    private struct Opened {
        let index: Int
        /// The number of segments before it that the server does not have.
        let missing: Int
        let stream: SampleStream
        let bytes: BudgetedSource
        let end: HLSEnd
        /// The timestamp of the stream's frame 0; nil if it has none.
        let timestamp: HLSTimestamp?
    }

    /// Opens the first segment from `index` on that the server has.
    private static func open(
        _ feed: HLSFeed, from index: Int, in indexes: Range<Int>, least: Int = 0, isContinuation: Bool, interrupt: Interrupt
    ) throws(PlaybackError) -> Opened {
        var failure: PlaybackError?, missing = 0
        let timeline = feed.timeline
        for number in index..<max(index, indexes.upperBound) where timeline[number]?.segment.isGap == false {
            guard missing < missingLimit else { break }
            do throws(PlaybackError) {
                let end = HLSEnd(next: number, least: least)
                let source = try feed.open(from: number, to: end, isContinuation: isContinuation, interrupt: interrupt)
                let bytes = BudgetedSource(source, interrupt: interrupt)
                let demuxer = try Demuxer(bytes, interrupt: interrupt)
                let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
                demuxer.releasePictures()
                bytes.finishOpening()
                let timestamp = HLSTimestamp(stream, tag: end.value.timestamp)
                return Opened(index: number, missing: missing, stream: stream, bytes: bytes, end: end, timestamp: timestamp)
            } catch {
                guard error.code == .fileNotFound else { throw error }
                failure = error
                missing += 1
            }
        }
        throw failure ?? .missingSegment
    }

    /// The stated duration of the segments from `first` up to `end`, in frames.
    private static func frames(_ feed: HLSFeed, from first: Int, to end: Int, rate: Int) -> Int64 {
        guard first < end, let start = feed.timeline[first]?.start, let last = feed.timeline[end - 1]?.end else { return 0 }
        return Int64(bounded: ((last - start) * Double(rate)).rounded())
    }

    // MARK: Length

    /// Makes the length exact, by reading the last segments.
    func measure() throws(PlaybackError) {
        guard !duration.isExact else { return }
        let target = HLSRun.frames(feed, from: indexes.lowerBound, to: indexes.upperBound - 1, rate: format.sampleRate)
        try land(target, allowsEstimate: false)
        guard let output = scratch.baseAddress else { return }
        while try fill(output, capacity: scratch.count / format.channelCount) > 0 {
            if interrupt.isRaised { throw .cancelled }
        }
    }
}

/// A timestamp of a stream, in ticks of its time base.
struct HLSTimestamp {
    private var ticks: Int64
    private var base: AVRational
    /// The number of bits after which the ticks begin again; 64 if they do not.
    private var bits: Int32

    /// The timestamp of a stream's frame 0; nil if it has none. A segment of packed audio states it in its tag, in ticks of 90 kHz.
    init?(_ stream: SampleStream, tag: Int64?) {
        let packets = stream.packets, rate = stream.format.sampleRate
        switch packets.demuxer.traits.container {
        case .mpegTransport, .mp4:
            guard let pts = stream.start.packets.first?.raw.pointee.pts, pts != CFFmpeg_noTimestamp() else { return nil }
            (ticks, base) = (pts, packets.demuxer.stream.pointee.time_base)
            bits = packets.demuxer.stream.pointee.pts_wrap_bits
        default:
            guard let tag else { return nil }
            (ticks, base, bits) = (tag, AVRational(num: 1, den: 90_000), 33)
        }
        guard base.num > 0, base.den > 0, ticks.magnitude <= 1 << 60 else { return nil }
        self = moved(by: -packets.firstPosition, rate: rate)
    }

    /// The timestamp that is later by a number of frames.
    func moved(by frames: Int64, rate: Int) -> HLSTimestamp {
        var other = self
        other.ticks &+= av_rescale_q(frames, AVRational(num: 1, den: Int32(clamping: rate)), base)
        return other
    }

    /// The difference between a timestamp and the playlist, in seconds, that contradicts the playlist: this, and a twentieth of the position.
    private static let tolerance: Int64 = 2

    /// The number of frames from an earlier timestamp to this one, if it is about the number that the playlist states; otherwise nil. The ticks may
    /// have begun again between both.
    func frames(since start: HLSTimestamp, near expected: Int64, rate: Int) -> Int64? {
        let unit = AVRational(num: 1, den: Int32(clamping: rate))
        var difference = ticks &- start.ticks
        if bits < 63 {
            let period = Int64(1) << Int64(bits), wanted = av_rescale_q(expected, unit, base)
            difference &+= Int64(bounded: (Double(wanted &- difference) / Double(period)).rounded()) &* period
        }
        // The timestamps are hostile: any number may result, and FFmpeg's mark of an overflow (`.min`).
        let frames = av_rescale_q_rnd(difference, base, unit, AV_ROUND_NEAR_INF)
        let limit = HLSTimestamp.tolerance * Int64(rate) + abs(expected) / 20
        return (expected - limit...expected + limit).contains(frames) ? frames : nil
    }
}

extension SampleStream {
    /// Moves a position of the stream's frame 0 to a whole number of packets, if the container's timestamps are rounded and it is near.
    func aligned(_ position: Int64) -> Int64 {
        let size = Int64(start.frameSize)
        guard packets.clock.basis == .counting, size > 0 else { return position }
        let whole = (position + size / 2) / size * size
        return packets.clock.isRounding(whole - position) ? whole : position
    }
}
