import PlaybackEngine

/// The audio of a playlist, which is complete: its runs (`HLSRun`), one after the other, in the format of the first one. Only one run is open at a
/// time.
///
/// A run begins at the end of the samples of the one before it. This end is known after the run was played, or from its last segments (`measure`).
final class HLSStream: HLSAudio {
    private let feed: HLSFeed
    private let interrupt: Interrupt
    /// The indexes of the segments of each run.
    private let runs: [Range<Int>]
    /// The position of each run's frame 0, as far as it is known exactly; one more is the end of the last run.
    private var starts: [Int64] = [0]
    /// The open run: its number, its audio in the format of the stream, and its frame 0 on the timeline. The audio is nil after a call that has
    /// failed.
    private var current: (number: Int, audio: (any SampleSource)?, start: Int64)
    /// Whether the start of the open run is estimated.
    private var isStartEstimated = false
    private let firstInfo: MediaInfo
    let format: AudioFormat
    private(set) var position: Int64 = 0
    private var skippedBefore = 0

    init(_ feed: HLSFeed, interrupt: Interrupt) throws(PlaybackError) {
        self.feed = feed
        self.interrupt = interrupt
        runs = HLSStream.runs(feed.timeline)
        guard let range = runs.first else { throw PlaybackError(.noAudio, "The stream has no segments.") }
        let run = try HLSRun(feed, range, isContinuation: false, interrupt: interrupt)
        (firstInfo, format) = (run.info, run.format)
        current = (0, run, 0)
    }

    private static func runs(_ timeline: HLSTimeline) -> [Range<Int>] {
        var runs: [Range<Int>] = [], last: Int?
        for place in timeline.places {
            if place.run == last, let open = runs.last {
                runs[runs.count - 1] = open.lowerBound..<(place.index + 1)
            } else {
                runs.append(place.index..<(place.index + 1))
            }
            last = place.run
        }
        return runs
    }

    /// The length that the playlist states, until the whole length is known.
    var duration: MediaDuration {
        let rate = format.sampleRate
        if starts.count > runs.count, let end = starts.last { return .exact(frames: end, sampleRate: rate) }
        return .estimated(frames: frames(at: feed.timeline.window?.upperBound ?? 0), sampleRate: rate)
    }
    var isSeekable: Bool { true }
    var isPositionEstimated: Bool { isStartEstimated || current.audio?.isPositionEstimated ?? false }
    var skippedPackets: Int { skippedBefore + (current.audio?.skippedPackets ?? 0) }

    /// The facts about the stream, which are those of its first segment except for the length.
    var info: MediaInfo {
        var info = firstInfo
        info.duration = duration
        (info.isSeekable, info.isSegmented) = (isSeekable, true)
        info.startDate = feed.timeline.startDate
        return info
    }

    // MARK: Delivering

    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        while true {
            guard let audio = current.audio else {
                try land(position, allowsEstimate: isStartEstimated)
                continue
            }
            let count = try audio.fill(output, capacity: capacity)
            position += Int64(count)
            if count > 0 { return count }
            if let length = audio.length { noteEnd(current.start + length) }
            let next = current.number + 1
            guard next < runs.count else { return 0 }
            isStartEstimated = next >= starts.count
            try open(next, at: isStartEstimated ? position : starts[next])
            // A seek may have passed the end of the run before it.
            if position > current.start { _ = try current.audio?.seek(to: position - current.start, before: 0, after: 0) }
        }
    }

    /// Records where the open run ends, if that is certain.
    private func noteEnd(_ end: Int64) {
        if !isPositionEstimated, starts.count == current.number + 1 { starts.append(end) }
    }

    /// Opens a run at its beginning, which is at the frame `start`.
    private func open(_ number: Int, at start: Int64) throws(PlaybackError) {
        skippedBefore += current.audio?.skippedPackets ?? 0
        // The connection of the open run is closed before that of another one is opened.
        current = (number, nil, start)
        let run = try HLSRun(feed, runs[number], isContinuation: true, interrupt: interrupt)
        current.audio = run.format == format ? run : try Conversion(run, to: format)
    }

    // MARK: Seeking

    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        try seek(to: target, before: before, after: after, allowsEstimate: false)
    }

    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position, current.audio != nil, allowsEstimate || !isPositionEstimated { return position }
        try land(target, allowsEstimate: allowsEstimate)
        return position
    }

    private func land(_ target: Int64, allowsEstimate: Bool) throws(PlaybackError) {
        position = target
        var number = (starts.firstIndex { $0 > target } ?? starts.count) - 1
        // The target is after the last known start, so the ends of the runs up to it are needed, or an estimate of them.
        if number == starts.count - 1, number < runs.count {
            let last = run(at: target, from: number, isEarliest: allowsEstimate)
            while number < last, !allowsEstimate {
                guard try measureRun(number) else { break }
                if starts[number + 1] > target { break }
                number += 1
            }
            if allowsEstimate { number = last }
        }
        number = min(number, runs.count - 1)
        isStartEstimated = number >= starts.count
        let start = isStartEstimated ? frames(at: feed.timeline[runs[number].lowerBound]?.start ?? 0) : starts[number]
        if current.number != number || current.audio == nil || current.start != start { try open(number, at: start) }
        guard let audio = current.audio else { return }
        do throws(PlaybackError) { _ = try audio.seek(to: max(0, target - start), before: 0, after: 0, allowsEstimate: allowsEstimate) } catch {
            current.audio = nil
            throw error
        }
    }

    /// The run that contains the frame `target` by the durations of the playlist, counted from the known start of the run `number`; if `isEarliest`
    /// is false, the last run that may contain it, because the durations are rounded.
    private func run(at target: Int64, from number: Int, isEarliest: Bool) -> Int {
        let base = feed.timeline[runs[number].lowerBound]?.start ?? 0, time = Double(target - starts[number]) / Double(format.sampleRate)
        let index = feed.timeline.place(at: base + time + (isEarliest ? 0 : 1 + time / 100))?.index ?? 0
        return runs.firstIndex { index < $0.upperBound } ?? runs.count - 1
    }

    /// Reads the end of a run whose start is known, so that the start of the next one is known. Returns false if the end remains unknown.
    private func measureRun(_ number: Int) throws(PlaybackError) -> Bool {
        isStartEstimated = false
        if current.number != number || current.audio == nil { try open(number, at: starts[number]) }
        guard let audio = current.audio else { return false }
        do throws(PlaybackError) { try audio.measure() } catch {
            current.audio = nil
            throw error
        }
        guard let length = audio.length else { return false }
        noteEnd(starts[number] + length)
        return starts.count > number + 1
    }

    /// The frame at a media time of the playlist, in seconds.
    private func frames(at time: Double) -> Int64 { Int64(bounded: (time * Double(format.sampleRate)).rounded()) }

    /// Makes the length of the stream exact, by the last segments of each run.
    func measure() throws(PlaybackError) {
        let before = position
        while starts.count <= runs.count { guard try measureRun(starts.count - 1) else { break } }
        try land(before, allowsEstimate: false)
    }
}
