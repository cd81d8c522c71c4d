import CPulse
import PlaybackEngine

/// The knowledge about a device's rewinding: replacing audio that the device has received and not played yet.
///
/// If a stream writes before the server's read index, the server rewinds: it mixes again, from there on, the audio that the device has not played
/// yet. The server does not report how far it rewound. Only its read index shows that, if the stream has no further data after the written frames. So
/// at the first replacement a single frame is sent as a trial. The rest follows after the reply has confirmed the frame's position. From then on the
/// device is trusted.
struct Rewinding: Equatable {
    /// The range of the safety margin, in seconds: the time for a command to reach the server, including the work before it. A frame must be replaced
    /// at least this long before it is heard. The margin doubles after a late replacement, and decays after a success.
    static let margins = 0.005...0.020
    /// The multiple of the margin for a trial: there and back, and there again.
    private static let firstFactor = 2.0
    /// The decay of the margin after a success.
    private static let decay = 0.9
    /// If at most this duration of new audio was not heard, in seconds, it stays as it is: starting it again would lose more.
    private static let bearableDelay = 0.005
    /// The maximum lead, in seconds. No device is known to need more.
    static let longestLead = 0.040
    /// The number of failed rewinds in a row after which a device counts as unable to rewind.
    private static let patience = 2

    /// The time after the heard frame within which the device cannot replace frames, in seconds; nil until it has been measured.
    private(set) var reach: Double?
    private(set) var margin = margins.lowerBound
    private var failures = 0
    var isHopeless: Bool { failures >= Self.patience }

    /// The time from the heard frame to the first frame that can be replaced, in seconds.
    var lead: Double { reach.map { min($0 + margin, Self.longestLead) } ?? Self.firstFactor * margin }

    /// The knowledge that is valid for another stream on the same device.
    var ofDevice: Rewinding {
        var known = self
        known.failures = 0
        return known
    }

    /// Returns the first frame to replace, if `heard` is heard now. Nil if that is not earlier than the server's read index, `read`, by at least the
    /// margin.
    func start(heard: Int64, read: Int64, sampleRate: Int) -> Int64? {
        let start = heard + Int64(lead * Double(sampleRate))
        return start + Int64(margin * Double(sampleRate)) < read ? start : nil
    }

    /// The result of sending audio that replaces the audio after a frame.
    enum Outcome: Equatable {
        /// The new audio is in place, except at most `bearableDelay`.
        case inPlace
        /// The device had already played up to this frame, or could not rewind further.
        case begins(Int64)
        /// The device did not rewind. The audio that it had read, up to this frame, will be heard.
        case stays(Int64)
    }

    /// Evaluates the server's reply to a trial with a single frame, `start`.
    ///
    /// - Parameters:
    ///   - rests: the read index in the reply, in frames.
    ///   - read: the read index before the trial, in frames.
    ///   - heard: the frame heard when the reply arrived.
    mutating func judge(rests: Int64, start: Int64, read: Int64, heard: Int64, sampleRate: Int) -> Outcome {
        if rests >= read {
            failures += 1
            return .stays(rests)
        }
        failures = 0
        if rests > start + 1 {
            reach = min(max(0, Double(rests - heard) / Double(sampleRate)), Self.longestLead)
            return .begins(max(rests, heard + Int64(margin * Double(sampleRate))))
        }
        reach = 0
        return heard < start ? inTime() : .begins(retreat(heard: heard, sampleRate: sampleRate))
    }

    /// Evaluates whether audio from `start` on arrived in time.
    ///
    /// - Parameters:
    ///   - rests: the server's read index when it received the audio, in frames; nil if unknown. It goes back no further than the device does, and
    ///     then advances.
    ///   - heard: the frame heard when the server received the audio. We may learn that much later.
    ///   - now: the frame heard now.
    mutating func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64, sampleRate: Int) -> Outcome {
        let begun = min(heard, rests ?? heard)
        if begun <= start { return inTime() }
        let later = retreat(heard: now, sampleRate: sampleRate)
        return Double(begun - start) <= Self.bearableDelay * Double(sampleRate) ? .inPlace : .begins(later)
    }

    /// Decreases the margin, because it was sufficient.
    private mutating func inTime() -> Outcome {
        margin = max(margin * Self.decay, Self.margins.lowerBound)
        return .inPlace
    }

    /// Increases the margin, because it was not sufficient. Returns a frame at which a replacement will be in time.
    mutating func retreat(heard: Int64, sampleRate: Int) -> Int64 {
        margin = min(2 * margin, Self.margins.upperBound)
        return heard + Int64(lead * Double(sampleRate))
    }
}

extension PulseStream {
    /// Whether the device can be rewound, as far as is known.
    var canRewind: Bool { device.rewinds && !rewinding.isHopeless }

    /// Begins a replacement by rewinding, if the server has read the frames before `read`. Suspends writing, resets the source to the first frame to
    /// replace, and returns it. Nil if the device cannot be rewound, or the server is about to read again. Under the lock.
    func beginRewinding(read: Int64) -> Int64? {
        guard canRewind, !isDry else { return nil }
        guard let start = rewinding.start(heard: heardFrame, read: read, sampleRate: format.sampleRate) else { return nil }
        rewound = read
        isHolding = true
        source.reset(to: start)
        return start
    }

    /// Replaces the frames from `start` on by those of the source. The server has already read and mixed the frames before `read`.
    func replaceRewinding(from start: Int64, read: Int64) throws(PlaybackError) -> Int64 {
        var isTrial = false
        // Other work may have taken so long that the replacement is late before it is sent.
        let later = mainloop.withLock { () -> Int64? in
            guard heardFrame + way >= start else { return nil }
            return begin(at: rewinding.retreat(heard: heardFrame, sampleRate: format.sampleRate))
        }
        if let later { return later }
        try perform { () throws(PlaybackError) in
            isTrial = rewinding.reach == nil && source.writtenFrames - source.renderedFrames > 1
            // After the trial frame the server has no data for a moment, which is no underrun.
            if isTrial { probedFrame = start + 1 }
            writtenFrames = start
            probed = nil
            try send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            if isTrial {
                writtenFrames += Int64(writeOnce(atLeast: 1, atMost: 1) ?? 0)
            } else {
                putInPlace(from: start, read: read)
            }
            try ask(.probe)
            return true
        }
        return mainloop.withLock {
            let outcome =
                isTrial
                ? rewinding.judge(rests: probed?.rests ?? read, start: start, read: read, heard: heardFrame, sampleRate: format.sampleRate)
                : rewinding.judge(
                    rests: probed?.rests, start: start, heard: tracker.frame(at: probed?.time ?? clock.now), now: heardFrame,
                    sampleRate: format.sampleRate)
            switch outcome {
            case .inPlace:
                rewound = nil
                if isTrial { putInPlace(from: start, read: read) }
                return start
            case .begins(let frame), .stays(let frame):
                if case .stays = outcome { rewound = nil }
                return begin(at: frame)
            }
        }
    }

    /// Sends the source's frames, and silence after them if they end too early. Under the lock.
    private func putInPlace(from start: Int64, read: Int64) {
        isHolding = false
        forgetPadding()
        pull(atLeast: format.sampleRate / 4)
        pad(from: start, to: read)
    }

    // MARK: Silence

    /// Writes silence after the available frames if they end before `read`, because the server would play the old audio there. The silence extends to
    /// `read`, or to one device latency after `start` if that is later, and one latency further: after an underrun, the server rewinds by all missing
    /// frames for each block that arrives, and loses audio (the null sink of PulseAudio 16). Under the lock.
    private func pad(from start: Int64, to read: Int64) {
        guard failure == nil, let timing = pa_stream_get_timing_info(stream)?.pointee else { return }
        let ahead = Int64(min(timing.configured_sink_usec, 2_000_000)) * Int64(format.sampleRate) / 1_000_000
        guard writtenFrames < max(read, start + ahead) else { return }
        let count = Int(max(read, start + ahead) + ahead - writtenFrames)
        let silence = [UInt8](repeating: 0, count: count * bytesPerFrame)
        let offset = (writtenFrames - base) * Int64(bytesPerFrame)
        guard pa_stream_write(stream, silence, silence.count, nil, offset, PA_SEEK_ABSOLUTE) == 0 else { return }
        paddingEnd = offset + Int64(silence.count)
        // Because of the silence, the server will not report that it has read the last frame.
        runDry(at: writtenFrames)
    }

    /// Puts the next frame in place of the silence, or after the part of the silence that has been heard. Under the lock.
    func skipHeardPadding() {
        let end = tracker.hostTime(of: writtenFrames)
        let next = clock.now + rewinding.lead
        if next > end {
            base -= Int64((next - end) * Double(format.sampleRate))
            outdatedCount = askedCount
        }
        resumeRunning()
    }

    /// Discards the record of the silence, because other audio replaces it. Under the lock.
    private func forgetPadding() {
        paddingEnd = nil
        isDry = false
        cancelDryTimer()
    }

    /// Updates the record of the silence after frames have replaced all or part of it. Under the lock.
    func shortenPadding() {
        guard let paddingEnd else { return }
        if (writtenFrames - base) * Int64(bytesPerFrame) >= paddingEnd {
            self.paddingEnd = nil
        } else if isStarted {
            runDry(at: writtenFrames)
        }
    }

    /// Excludes the silence that the server has taken from the frame count. The server has stopped after it, and the next frame follows there. Under
    /// the lock.
    func skipPadding(to readIndex: Int64, isEmptied: Bool) {
        guard let paddingEnd else { return }
        base -= max(0, readIndex / Int64(bytesPerFrame) - (writtenFrames - base))
        if isEmptied || readIndex >= paddingEnd { self.paddingEnd = nil }
    }

    /// Suspends writing, to start the new audio at a later frame. Under the lock.
    private func begin(at frame: Int64) -> Int64 {
        isDry = false
        cancelDryTimer()
        // The playhead stopped at the end of the audio that arrived too late.
        if !tracker.playhead.isRunning { resumeRunning() }
        isHolding = true
        writtenFrames = frame
        source.reset(to: frame)
        return frame
    }

    /// The time for a command to reach the server (2 ms), in frames.
    private var way: Int64 { Int64(format.sampleRate / 500) }
    /// The frame that the device plays now, also after an underrun. Never before the reported playhead.
    private var heardFrame: Int64 {
        let now = clock.now
        return max(tracker.frame(at: now), tracker.playhead.frame(at: now, sampleRate: format.sampleRate))
    }
}
