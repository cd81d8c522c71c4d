import Platform
import PlaybackEngine

/// Plays a chained Ogg stream that a server sends. The links of a chained Ogg stream (consecutive complete streams) become known when they arrive: on
/// a radio, each change of track begins a link.
///
/// Each link is opened alone, as in `ChainedStream`, and converted to the format of the first link. If the server has byte ranges, links that have
/// been played can be opened again. Audio after the last known link is reached by reading.
final class StreamedChain: SampleSource {
    private struct Link {
        /// The byte offset at which the Ogg link begins.
        let start: Int64
        /// The byte offset at which the Ogg link ends; nil until the next link has begun.
        var end: Int64?
        /// The position of the Ogg link's first frame on the timeline.
        let position: Int64
    }
    private let base: any ByteSource
    private let interrupt: Interrupt
    private var links: [Link]
    /// The first link of the chained stream, whose format and facts describe the medium.
    let first: SampleStream
    /// The current link of the chained stream: its number, its stream, and its byte source if it is read in sequence (otherwise nil).
    private var current: (number: Int, stream: any SampleSource, source: OggLinkSource?)
    /// The number of packets skipped in the links that were open before the current one, without those that were passed to reach another position.
    private var skippedBefore = 0
    /// The number of links without audio that can be played. Each counts as one skipped packet.
    private var unreadableLinks = 0
    /// The length of the whole chained stream, in frames; nil until its end has been read.
    private var total: Int64?
    private(set) var position: Int64 = 0
    /// The log that receives the tags of each link; nil if nothing uses them.
    private var timedMetadata: TimedMetadataLog?
    private var scratch: UnsafeMutableBufferPointer<Float>

    /// Makes the chained stream from `source`, whose first link begins at the start of `base`.
    init(_ source: OggLinkSource, of base: any ByteSource, interrupt: Interrupt) throws(PlaybackError) {
        self.base = base
        self.interrupt = interrupt
        let demuxer = try Demuxer(source, interrupt: interrupt)
        first = try SampleStream(demuxer, start: StreamStart(demuxer))
        links = [Link(start: source.start, end: nil, position: 0)]
        current = (0, first, source)
        estimate = first.length == nil ? first.duration : .unknown
        scratch = .allocate(capacity: 4096 * first.format.channelCount)
    }

    deinit { scratch.deallocate() }

    /// The estimate of the whole stream's duration: that of the first link, which is computed from its bit rate and the size of the whole medium.
    /// Unknown if the first link states its own length, which shows nothing about the other links.
    private let estimate: MediaDuration

    var format: AudioFormat { first.format }
    var duration: MediaDuration { total.map { .exact(frames: $0, sampleRate: format.sampleRate) } ?? estimate }
    var isSeekable: Bool { base.isSeekable }
    var skippedPackets: Int { unreadableLinks + skippedBefore + current.stream.skippedPackets }

    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        while true {
            // A link that is read again must deliver exactly as many frames as the first time, so that later positions stay correct: silence replaces
            // missing frames.
            let end = current.number + 1 < links.count ? links[current.number + 1].position : total
            let available = min(Int64(capacity), end.map { $0 - position } ?? .max)
            if available > 0 {
                var count = try current.stream.fill(output, capacity: Int(available))
                if count == 0, end != nil {
                    output.update(repeating: 0, count: Int(available) * format.channelCount)
                    count = Int(available)
                }
                position += Int64(count)
                if count > 0 { return count }
            }
            guard try openNext() else { return 0 }
        }
    }

    /// Begins the next link of the chained stream; returns false if the current link is the last one.
    private func openNext() throws(PlaybackError) -> Bool {
        if current.number + 1 < links.count {
            try open(current.number + 1)
            return true
        }
        guard total == nil, let source = current.source else { return false }
        while try source.advance() {
            if links[current.number].end == nil { links[current.number].end = source.start }
            links.append(Link(start: source.start, end: nil, position: position))
            do throws(PlaybackError) {
                try begin(links.count - 1, Demuxer(source, interrupt: interrupt), source)
                return true
            } catch {
                if interrupt.isRaised || [.cancelled, .network, .busy, .outOfMemory].contains(error.code) { throw error }
                // A link without playable audio is left out, and the next link is tried.
                links.removeLast()
                unreadableLinks += 1
            }
        }
        total = position
        return false
    }

    /// Opens the link of the chained stream with the number `number` at its beginning.
    private func open(_ number: Int) throws(PlaybackError) {
        let link = links[number]
        if let end = link.end {
            try begin(number, Demuxer(WindowSource(base, link.start..<end), interrupt: interrupt), nil)
        } else {
            let source = try OggLinkSource(base, from: link.start)
            try begin(number, Demuxer(source, interrupt: interrupt), source)
        }
    }

    private func begin(_ number: Int, _ demuxer: Demuxer, _ source: OggLinkSource?) throws(PlaybackError) {
        let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
        demuxer.releasePictures()
        let adapted: any SampleSource = stream.format == format ? stream : try Conversion(stream, to: format)
        skippedBefore += current.stream.skippedPackets
        current = (number, adapted, source)
        position = links[number].position
        noteTags(of: demuxer)
    }

    func setTimedMetadata(_ log: TimedMetadataLog) {
        timedMetadata = log
        noteTags(of: first.demuxer)
    }

    /// Adds the tags of the current link to the log of metadata, at the position at which the link begins.
    private func noteTags(of demuxer: Demuxer) {
        guard let timedMetadata else { return }
        let tags = Metadata.entries(demuxer).filter { StreamedChain.timedTags.contains($0.key) && $0.value.utf8.count <= StreamedChain.tagLimit }
        timedMetadata.add(tags, atTime: Double(links[current.number].position) / Double(format.sampleRate))
    }

    /// The tags of each link that are added to the log. A tag of more than `tagLimit` bytes is omitted.
    private static let timedTags: Set<String> = ["title", "artist", "album"]
    private static let tagLimit = 4096

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position { return position }
        guard isSeekable else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        let number = links.lastIndex { $0.position <= target } ?? 0
        if number != current.number || current.source != nil && target < position { try open(number) }
        if current.source == nil {
            let start = links[number].position
            position = try start + current.stream.seek(to: target - start, before: before, after: after)
        }
        try pass(to: target)
        // If the chained stream ends before the target of a seek, `position` becomes the target, and no frames follow, as in any medium.
        position = max(position, target)
        return position
    }

    /// Reads and discards the chained stream's frames before `target`, or up to the end of the stream. Corrupt packets before a target of a seek are
    /// not counted.
    private func pass(to target: Int64) throws(PlaybackError) {
        let before = skippedBefore + current.stream.skippedPackets
        defer { skippedBefore = before - current.stream.skippedPackets }
        while position < target, try pass(target - position) {}
    }

    /// Reads and discards up to `frames` frames of the chained stream; returns false at the end of the stream.
    private func pass(_ frames: Int64) throws(PlaybackError) -> Bool {
        guard let output = scratch.baseAddress else { return false }
        return try fill(output, capacity: Int(min(frames, Int64(scratch.count / format.channelCount)))) > 0
    }

    /// Reads the whole chained stream once to learn its length, then returns to the start (R-ASSET-11). Does nothing if the stream is not seekable.
    func measure() throws(PlaybackError) {
        guard isSeekable, total == nil else { return }
        try pass(to: .max)
        _ = try seek(to: 0, before: 0, after: 0)
    }
}
