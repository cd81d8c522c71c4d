import PlaybackEngine

/// An MP4 track whose edit list plays several parts (stretches) of its media, or silence, exact to the sample.
final class EditedStream: SampleSource {
    private struct Stretch {
        /// The range on the edited timeline, in frames.
        let range: Range<Int64>
        /// The start in the media, in frames; nil for silence.
        let media: Int64?
    }
    /// The whole track.
    private let media: SampleStream
    private let stretches: [Stretch]
    /// The number of the current stretch; −1 before the first, `stretches.count` after the last.
    private var number = -1
    /// Whether reading has led to the position; otherwise a seek has.
    private var wasRead = false
    private(set) var position: Int64 = 0
    /// The end of the timeline, after reading has reached it.
    private var end: Int64?

    init(_ media: SampleStream, _ edits: [MovieHeader.Stretch]) {
        self.media = media
        var stretches: [Stretch] = [], at: Int64 = 0
        let clock = media.packets.clock
        for edit in edits {
            let start = edit.start ?? 0
            guard let first = clock.raw(start), let last = clock.raw(start + edit.length), last - first <= PacketClock.furthest - at
            else {
                break
            }
            guard last > first else { continue }
            stretches.append(Stretch(range: at..<(at + last - first), media: edit.start.map { _ in first - clock.origin }))
            at += last - first
        }
        self.stretches = stretches
    }

    var format: AudioFormat { media.format }
    var isSeekable: Bool { media.isSeekable }
    var skippedPackets: Int { media.skippedPackets }

    /// The duration, which is as certain as the media's. Silence replaces audio that is missing, but a missing end shortens the last stretch.
    var duration: MediaDuration {
        if let end { return .exact(frames: end, sampleRate: format.sampleRate) }
        var frames = stretches.last?.range.upperBound ?? 0
        let held: Int64? =
            switch media.duration {
            case .exact(let held, _), .estimated(let held, _): held
            default: nil
            }
        if let last = stretches.last, let start = last.media, let held {
            frames -= min(Int64(last.range.count), max(0, start + Int64(last.range.count) - held))
        }
        return media.duration.isExact
            ? .exact(frames: frames, sampleRate: format.sampleRate) : .estimated(frames: frames, sampleRate: format.sampleRate)
    }

    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        while number < stretches.count {
            let available = number < 0 ? 0 : min(Int64(capacity), stretches[number].range.upperBound - position)
            guard available > 0 else {
                try enter(number + 1)
                continue
            }
            var count = stretches[number].media == nil ? 0 : try media.fill(output, capacity: Int(available))
            if count == 0 {
                // The edit demands silence, or the media ends too early.
                if stretches[number].media != nil, number + 1 == stretches.count { break }
                output.update(repeating: 0, count: Int(available) * format.channelCount)
                count = Int(available)
            }
            wasRead = true
            position += Int64(count)
            return count
        }
        if wasRead { end = position }
        return 0
    }

    private func enter(_ next: Int) throws(PlaybackError) {
        if next < stretches.count, let start = stretches[next].media { _ = try media.seek(to: start, before: 0, after: 0) }
        number = next
    }

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        let next = stretches.firstIndex { $0.range.contains(target) } ?? stretches.count
        var landed = target
        // The tolerances are only within the stretch: the audio beside it has another position.
        if next < stretches.count, let start = stretches[next].media {
            let range = stretches[next].range
            landed =
                try range.lowerBound - start
                + media.seek(
                    to: start + target - range.lowerBound, before: min(before, target - range.lowerBound),
                    after: min(after, range.upperBound - 1 - target))
        }
        if landed != position { wasRead = false }
        (number, position) = (next, landed)
        return landed
    }

    func measure() throws(PlaybackError) {
        guard !duration.isExact else { return }
        try media.measure()
        _ = try seek(to: 0, before: 0, after: 0)
    }
}
