import PlaybackEngine

/// Plays the links of a chained Ogg file (`OggChain`) as one stream in the format of the first link. At the start, each link is opened once to learn
/// its length; after that, only the first and the current link are open.
final class ChainedStream: SampleSource {
    private let source: any ByteSource
    private let interrupt: Interrupt
    /// The byte ranges of the links that have audio.
    private let links: [Range<Int64>]
    /// The positions on the timeline of the file at which the links begin, in frames, and the end of the last link.
    private let starts: [Int64]
    /// The first link, whose format and facts describe the medium.
    let first: SampleStream
    private var current: (number: Int, stream: any SampleSource)
    private var skippedBefore = 0
    private(set) var position: Int64 = 0

    var format: AudioFormat { first.format }
    var duration: MediaDuration { .exact(frames: starts.last ?? 0, sampleRate: format.sampleRate) }
    var isSeekable: Bool { true }
    var skippedPackets: Int { skippedBefore + current.stream.skippedPackets }

    init(_ source: any ByteSource, _ links: [Range<Int64>], interrupt: Interrupt) throws(PlaybackError) {
        self.source = source
        self.interrupt = interrupt
        first = try SampleStream(source, links[0], interrupt: interrupt)
        var starts: [Int64] = [0], kept: [Range<Int64>] = []
        for link in links {
            do throws(PlaybackError) {
                let stream = kept.isEmpty ? first : try SampleStream(source, link, interrupt: interrupt)
                try stream.measure()
                let ratio = Ratio(from: stream.format.sampleRate, to: first.format.sampleRate)
                starts.append(min(PacketClock.furthest, starts[kept.count] + ratio.outputFrames(stream.length ?? 0)))
                kept.append(link)
            } catch {
                // The first link must be playable, because its format is that of the whole stream.
                guard !kept.isEmpty, error.code == .corruptMedia || error.code == .unsupportedFormat || error.code == .noAudio else { throw error }
                skippedBefore += 1
                source.noteProgress()
            }
        }
        self.starts = starts
        self.links = kept
        current = (0, first)
    }

    func measure() {}

    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        while true {
            // A link delivers exactly as many frames as its range has, so that later positions remain correct.
            let available = min(Int64(capacity), starts[current.number + 1] - position)
            if available > 0 {
                let count = try current.stream.fill(output, capacity: Int(available))
                if count > 0 {
                    position += Int64(count)
                    return count
                }
                // Silence replaces the damaged end of a link.
                output.update(repeating: 0, count: Int(available) * format.channelCount)
                position += available
                return Int(available)
            }
            guard current.number + 1 < links.count else { return 0 }
            try open(current.number + 1)
        }
    }

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        let number = min(links.count - 1, max(0, (starts.firstIndex { $0 > target } ?? links.count) - 1))
        if number != current.number { try open(number) }
        position = try starts[number] + current.stream.seek(to: target - starts[number], before: before, after: after)
        return position
    }

    private func open(_ number: Int) throws(PlaybackError) {
        skippedBefore += current.stream.skippedPackets
        let stream = try SampleStream(source, links[number], interrupt: interrupt)
        current = (number, stream.format == format ? stream : try Conversion(stream, to: format))
    }
}

extension SampleStream {
    /// Opens a byte range of `source` as an audio stream of its own.
    convenience init(_ source: any ByteSource, _ range: Range<Int64>, interrupt: Interrupt) throws(PlaybackError) {
        let demuxer = try Demuxer(WindowSource(source, range), interrupt: interrupt)
        try self.init(demuxer, start: StreamStart(demuxer))
    }
}
