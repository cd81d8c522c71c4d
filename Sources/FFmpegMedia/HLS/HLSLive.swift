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
        info.isLive = true
        info.startDate = feed.timeline[opened.index].flatMap { feed.timeline.date(at: $0.start) }
        self.info = info
        entry = Entry(stream: opened.stream, bytes: opened.bytes, end: opened.end)
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
                isOver = try !openNext()
                continue
            }
            entry.bytes.noteProgress()
            let count = try entry.stream.fill(output, capacity: capacity)
            position += Int64(count)
            if count > 0 { return count }
            next = entry.end.value.next
            skippedBefore += entry.stream.skippedPackets
            self.entry = nil
        }
        return 0
    }

    /// Opens the segment that is due; returns false if the stream has ended.
    private func openNext() throws(PlaybackError) -> Bool {
        guard let opened = try HLSLive.open(feed, from: next, isContinuation: true, interrupt: interrupt) else { return false }
        silence = Int64(bounded: (opened.silence * Double(format.sampleRate)).rounded())
        skippedBefore += opened.missing
        let stream: any SampleSource = opened.stream.format == format ? opened.stream : try Conversion(opened.stream, to: format)
        entry = Entry(stream: stream, bytes: opened.bytes, end: opened.end)
        return true
    }

    private struct Opened {
        let index: Int
        /// The number of segments before it that the server does not have, and the stated duration of those and of the gaps, in seconds.
        let missing: Int
        let silence: Double
        let stream: SampleStream
        let bytes: BudgetedSource
        let end: HLSEnd
    }

    /// Opens the segment `index`, or the first one after it that the server has; nil if the stream has ended before.
    private static func open(_ feed: HLSFeed, from index: Int, isContinuation: Bool, interrupt: Interrupt) throws(PlaybackError) -> Opened? {
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
            do throws(PlaybackError) {
                let end = HLSEnd(next: number + 1)
                let source = try feed.open(from: number, to: end, isContinuation: isContinuation, interrupt: interrupt)
                let bytes = BudgetedSource(source, interrupt: interrupt)
                let demuxer = try Demuxer(bytes, interrupt: interrupt)
                let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
                demuxer.releasePictures()
                bytes.finishOpening()
                return Opened(index: number, missing: missing, silence: silence, stream: stream, bytes: bytes, end: end)
            } catch {
                guard error.code == .fileNotFound else { throw error }
                let present = feed.timeline
                // The segment has left the window, or the stream has ended before it, which the next turn finds.
                guard let place = present[number] else {
                    if let last = present.places.last?.index, number > last, !present.hasEnded { throw error }
                    continue
                }
                missing += 1
                guard missing < missingLimit else { throw error }
                silence += place.segment.duration
                number += 1
            }
        }
    }
}
