import PlaybackEngine

/// An MP4 track whose edit list plays several parts of its media, one after another. Each part (stretch) is a range of the media's own timeline, or
/// silence. Playback and seeks within a stretch are exact to the sample.
final class EditedStream: SampleSource {
    private struct Stretch {
        /// The stretch's range of positions on the edited timeline, in frames.
        let range: Range<Int64>
        /// The position in the media at which the stretch begins; nil if the stretch is silence.
        let media: Int64?
    }
    /// The whole MP4 track, on the media's own timeline.
    private let media: SampleStream
    private let stretches: [Stretch]
    /// The index of the present stretch in `stretches`; −1 before the first one, and `stretches.count` after the last one.
    private var number = -1
    /// Whether the frames directly before the current position have been read. Otherwise a seek has led to this position.
    private var wasRead = false
    private(set) var position: Int64 = 0
    /// The position of the end of the track, after reading has reached it; nil until then.
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

    /// The length of the edited timeline; as certain as the length of the media. If the media ends too early, silence replaces the missing audio of a
    /// stretch; only the last stretch becomes shorter instead.
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
                // A stretch is silence if the edit list demands it, or if the media ends too early.
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

    /// Continues with the beginning of the stretch with the index `next`.
    private func enter(_ next: Int) throws(PlaybackError) {
        if next < stretches.count, let start = stretches[next].media { _ = try media.seek(to: start, before: 0, after: 0) }
        number = next
    }

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        let next = stretches.firstIndex { $0.range.contains(target) } ?? stretches.count
        var landed = target
        // The tolerances of a seek apply only within the target's stretch: the audio beside it in the media has another position on the edited
        // timeline.
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
