import HTTPClient
import PlaybackEngine

/// The audio of a live stream, which is played from near its end on, without seeks. Media time 0 is the first sample that is played.
///
/// Its runs follow each other in the format of the first one. Segments that are missing are silence of their length. If the window has left the
/// segment that is due, because the reader has paused or was too slow, the audio goes on near the end again.
final class HLSLive: HLSAudio {
    /// An open reader, which has begun with a segment.
    private struct Entry {
        let stream: any SampleSource
        let bytes: BudgetedSource
        let end: HLSEnd
        /// The timestamp of the reader's frame 0; nil if it has none.
        let timestamp: HLSTimestamp?
        /// The media time of the reader's first segment, in seconds.
        let start: Double

        /// - Parameter stream: The stream of `opened` in the format of the whole.
        init(_ opened: Opened, _ stream: any SampleSource) {
            self.stream = stream
            bytes = opened.bytes
            end = opened.end
            timestamp = HLSTimestamp(opened.stream, tag: opened.end.value.timestamp)
            start = opened.start
        }
    }
    private let feed: HLSFeed
    private let interrupt: Interrupt
    /// The reader; nil after an opening that has failed, and at the end.
    private var entry: Entry?
    /// The index of the segment that is opened next.
    private var next: Int
    /// The silence that is delivered before the audio of the reader, in frames.
    private var silence: Int64 = 0
    private var isOver = false
    let format: AudioFormat
    let info: MediaInfo
    private(set) var position: Int64 = 0
    private var skippedBefore = 0

    /// The number of consecutive missing segments after which the stream fails.
    private static let missingLimit = 10

    init(_ feed: HLSFeed, interrupt: Interrupt) throws(PlaybackError) {
        self.feed = feed
        self.interrupt = interrupt
        let timeline = feed.timeline
        guard let opened = try HLSLive.open(feed, from: HLSLive.edge(timeline), isContinuation: false, interrupt: interrupt) else {
            throw PlaybackError(.noAudio, "The stream has no segments.")
        }
        format = opened.stream.format
        next = opened.index + 1
        var info = MediaInfo(opened.stream, duration: .unknown)
        (info.isLive, info.isSegmented) = (true, true)
        info.startDate = feed.timeline[opened.index].flatMap { feed.timeline.date(at: $0.start) }
        self.info = info
        entry = Entry(opened, opened.stream)
    }

    /// The segment with which a live stream begins.
    private static func edge(_ timeline: HLSTimeline) -> Int { timeline.place(at: timeline.startTime)?.index ?? 0 }

    var duration: MediaDuration { .unknown }
    var isSeekable: Bool { false }
    var skippedPackets: Int { skippedBefore + (entry?.stream.skippedPackets ?? 0) }
    func measure() {}

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        guard target == position else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        return position
    }

    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        while !isOver {
            if silence > 0 {
                let count = Int(min(Int64(capacity), silence))
                output.update(repeating: 0, count: count * format.channelCount)
                silence -= Int64(count)
                position += Int64(count)
                return count
            }
            guard let entry else {
                isOver = try !openNext(from: next)
                continue
            }
            entry.bytes.noteProgress()
            let count = try entry.stream.fill(output, capacity: capacity)
            position += Int64(count)
            if count > 0 { return count }
            next = entry.end.value.next
            skippedBefore += entry.stream.skippedPackets
            self.entry = nil
            if entry.end.value.isPaused { try resume(after: entry) }
        }
        return 0
    }

    /// Opens the segment `index`, or a later one; returns false if the stream has ended.
    private func openNext(from index: Int, least: Int = 0) throws(PlaybackError) -> Bool {
        guard let opened = try HLSLive.open(feed, from: index, least: least, isContinuation: true, interrupt: interrupt) else { return false }
        silence = Int64(bounded: (opened.silence * Double(format.sampleRate)).rounded())
        skippedBefore += opened.missing
        let stream: any SampleSource = opened.stream.format == format ? opened.stream : try Conversion(opened.stream, to: format)
        entry = Entry(opened, stream)
        return true
    }

    /// Goes on after a reader that has become long: opens its last segment again, so that the decoder has what precedes the next one, and discards
    /// what was delivered. If its timestamps do not show how much that is, the next segment is opened.
    private func resume(after old: Entry) throws(PlaybackError) {
        let rate = format.sampleRate
        guard try openNext(from: next - 1, least: next), let entry else { return }
        silence = 0
        let expected = Int64(bounded: ((entry.start - old.start) * Double(rate)).rounded())
        guard let stamp = old.timestamp, let origin = entry.timestamp?.frames(since: stamp, near: expected, rate: rate) else {
            self.entry = nil
            return
        }
        var left = old.stream.position - ((entry.stream as? SampleStream)?.aligned(origin) ?? origin)
        let scratch = UnsafeMutablePointer<Float>.allocate(capacity: HLSLive.scratchFrames * format.channelCount)
        defer { scratch.deallocate() }
        while left > 0 {
            entry.bytes.noteProgress()
            let count = try entry.stream.fill(scratch, capacity: Int(min(Int64(HLSLive.scratchFrames), left)))
            guard count > 0 else { return }
            left -= Int64(count)
        }
    }
    private static let scratchFrames = 4096

    private struct Opened {
        let index: Int
        /// The media time of the segment, in seconds.
        let start: Double
        /// The number of segments before it that the server does not have, and the stated duration of those and of the gaps, in seconds.
        let missing: Int
        let silence: Double
        let stream: SampleStream
        let bytes: BudgetedSource
        let end: HLSEnd
    }

    /// Opens the segment `index`, or the first one after it that the server has; nil if the stream has ended before.
    ///
    /// - Parameter least: The index of the segment that the reader has to reach (`HLSEnd`).
    private static func open(
        _ feed: HLSFeed, from index: Int, least: Int = 0, isContinuation: Bool, interrupt: Interrupt
    ) throws(PlaybackError) -> Opened? {
        var number = index, missing = 0, silence = 0.0
        while true {
            let timeline = feed.timeline
            if timeline.hasEnded, number > timeline.places.last?.index ?? -1 { return nil }
            if let first = timeline.places.first?.index, number < first {
                // The segments that have passed are not made up for.
                (number, silence) = (edge(timeline), 0)
            }
            if let place = timeline[number], place.segment.isGap {
                silence += place.segment.duration
                number += 1
                continue
            }
            let end = HLSEnd(next: number + 1, least: least)
            do throws(PlaybackError) {
                let source = try feed.open(from: number, to: end, isContinuation: isContinuation, interrupt: interrupt)
                let bytes = BudgetedSource(source, interrupt: interrupt)
                let demuxer = try Demuxer(bytes, interrupt: interrupt)
                let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
                demuxer.releasePictures()
                bytes.finishOpening()
                return Opened(
                    index: number, start: end.value.start, missing: missing, silence: silence, stream: stream, bytes: bytes, end: end)
            } catch {
                // The beginning of a segment whose rest is gone may be too little to be opened.
                let isCut = end.value.isCut && ![.cancelled, .busy, .outOfMemory].contains(error.code)
                guard error.code == .fileNotFound || isCut else { throw error }
                let present = feed.timeline
                // The segment has left the window, or the stream has ended before it, which the next turn finds.
                guard let place = present[number] else {
                    if number > present.places.last?.index ?? -1, !present.hasEnded { throw error }
                    continue
                }
                missing += 1
                // A stream that plays is awaited, as a station is. The silence for what it has missed is bounded.
                guard missing < missingLimit || isContinuation && feed.isPlayed else { throw error }
                silence = min(silence + place.segment.duration, Double(missingLimit) * present.targetDuration)
                number += 1
            }
        }
    }
}
