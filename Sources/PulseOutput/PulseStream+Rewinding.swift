import CPulse
import PlaybackEngine

/// What is known about a device's taking back what it was given and has not played.
///
/// A stream that writes before the server's read index makes the server rewind: it mixes again, from there on, what the device has not played yet. How
/// far it came is told only by where the read index rests when there is nothing to read behind that place. So the first time one frame goes first, and
/// the rest follows when the answer says that it lies where it belongs; from then on the device is trusted.
struct Rewinding: Equatable {
    /// What a command takes to reach the server, in seconds, with what there is to be done before it: so long before it is heard a frame may be replaced.
    /// Where that was too short it is taken to be twice as long, and by and by no longer.
    static let margins = 0.005...0.020
    /// The same, as a multiple, where the device is to be asked first: there and back, and there again.
    private static let firstFactor = 2.0
    /// What is left of a margin that was long enough.
    private static let decay = 0.9
    /// New sound of which so many seconds were not heard is left where it is: less is lost than by beginning it again.
    private static let bearableDelay = 0.005
    /// No device was seen that needs to be told earlier than so many seconds.
    static let longestLead = 0.040
    /// A device that has not rewound so often does not.
    private static let patience = 2

    /// So soon behind what is heard the device cannot replace a frame, in seconds; nil until that has been seen.
    private(set) var reach: Double?
    private(set) var margin = margins.lowerBound
    private var failures = 0
    var isHopeless: Bool { failures >= Self.patience }

    /// What can be replaced begins so many seconds behind what is heard.
    var lead: Double { reach.map { min($0 + margin, Self.longestLead) } ?? Self.firstFactor * margin }

    /// What holds for another stream on the same device.
    var ofDevice: Rewinding {
        var known = self
        known.failures = 0
        return known
    }

    /// The first frame to be replaced, of a stream of which `heard` is heard; nil where the server reads `read` so soon that this would not be sooner.
    func start(heard: Int64, read: Int64, sampleRate: Int) -> Int64? {
        let start = heard + Int64(lead * Double(sampleRate))
        return start + Int64(margin * Double(sampleRate)) < read ? start : nil
    }

    /// What became of sound that was sent to replace what followed a frame.
    enum Outcome: Equatable {
        /// It lies where it belongs, all of it but at most `bearableDelay`.
        case inPlace
        /// The device had played up to this frame, or would not go back behind it.
        case begins(Int64)
        /// It did not rewind: what it had read, up to this frame, will be heard.
        case stays(Int64)
    }

    /// What the server's answer means to one frame, `start`, sent alone.
    ///
    /// - Parameters:
    ///   - rests: the read index, in frames.
    ///   - read: what it was before.
    ///   - heard: the frame heard when the answer came.
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

    /// Whether sound from `start` on came in time.
    ///
    /// - Parameters:
    ///   - rests: the read index when the server had it, in frames; nil where it did not say. It goes back no further than the device does, and then on.
    ///   - heard: the frame heard when the server had it: it may be long until that is known here.
    ///   - now: the frame heard now.
    mutating func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64, sampleRate: Int) -> Outcome {
        let begun = min(heard, rests ?? heard)
        if begun <= start { return inTime() }
        let later = retreat(heard: now, sampleRate: sampleRate)
        return Double(begun - start) <= Self.bearableDelay * Double(sampleRate) ? .inPlace : .begins(later)
    }

    /// The margin was long enough.
    private mutating func inTime() -> Outcome {
        margin = max(margin * Self.decay, Self.margins.lowerBound)
        return .inPlace
    }

    /// It would be too late, or was: the frame from which it will not be.
    mutating func retreat(heard: Int64, sampleRate: Int) -> Int64 {
        margin = min(2 * margin, Self.margins.upperBound)
        return heard + Int64(lead * Double(sampleRate))
    }
}

extension PulseStream {
    /// Whether its device takes back what it was given, as far as is known.
    var canRewind: Bool { device.rewinds && !rewinding.isHopeless }

    /// Where the new sound may begin on a device that is rewound for it, of which the server has read the frames before `read`: that place is held. Nil
    /// where the device does not rewind, or the server is about to read again. Under the lock.
    func beginRewinding(read: Int64) -> Int64? {
        guard canRewind, !isDry else { return nil }
        guard let start = rewinding.start(heard: heardFrame, read: read, sampleRate: format.sampleRate) else { return nil }
        rewound = read
        isHolding = true
        source.reset(to: start)
        return start
    }

    /// Puts the source's frames in the place of those from `start` on, of which the server has read and mixed those before `read`.
    func replaceRewinding(from start: Int64, read: Int64) throws(PlaybackError) -> Int64 {
        var isTrial = false
        // Too late before it is sent: something else was to be done first.
        let later = mainloop.withLock { () -> Int64? in
            guard heardFrame + way >= start else { return nil }
            return begin(at: rewinding.retreat(heard: heardFrame, sampleRate: format.sampleRate))
        }
        if let later { return later }
        try perform { () throws(PlaybackError) in
            isTrial = rewinding.reach == nil && source.writtenFrames - source.renderedFrames > 1
            // Behind a first frame the server finds nothing for a moment, which is not to be taken for the end.
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

    /// Sends what the source has, and silence behind it where that ends too early. Under the lock.
    private func putInPlace(from start: Int64, read: Int64) {
        isHolding = false
        forgetPadding()
        pull(atLeast: format.sampleRate / 4)
        pad(from: start, to: read)
    }

    // MARK: Silence

    /// Where the frames there are end before `read`, the server would let the old sound be heard behind them: silence takes its place. It is long enough
    /// for all that the device asks for now and once more: a server that runs out of frames goes back by all that was missing for each block that comes
    /// then, and loses what it had (the null sink of PulseAudio 16). Under the lock.
    private func pad(from start: Int64, to read: Int64) {
        guard failure == nil, let timing = pa_stream_get_timing_info(stream)?.pointee else { return }
        let ahead = Int64(min(timing.configured_sink_usec, 2_000_000)) * Int64(format.sampleRate) / 1_000_000
        guard writtenFrames < max(read, start + ahead) else { return }
        let count = Int(max(read, start + ahead) + ahead - writtenFrames)
        let silence = [UInt8](repeating: 0, count: count * bytesPerFrame)
        let offset = (writtenFrames - base) * Int64(bytesPerFrame)
        guard pa_stream_write(stream, silence, silence.count, nil, offset, PA_SEEK_ABSOLUTE) == 0 else { return }
        paddingEnd = offset + Int64(silence.count)
        // The server will not tell when the last frame has been taken.
        runDry(at: writtenFrames)
    }

    /// Sound follows the silence: in its place, or, where that has been heard meanwhile, behind it. Under the lock.
    func skipHeardPadding() {
        let end = tracker.hostTime(of: writtenFrames)
        let next = clock.now + rewinding.lead
        if next > end {
            base -= Int64((next - end) * Double(format.sampleRate))
            outdatedCount = askedCount
        }
        resumeRunning()
    }

    /// Other sound takes the place of the silence. Under the lock.
    private func forgetPadding() {
        paddingEnd = nil
        isDry = false
        cancelDryTimer()
    }

    /// Some of the silence, or all of it, has been replaced. Under the lock.
    func shortenPadding() {
        guard let paddingEnd else { return }
        if (writtenFrames - base) * Int64(bytesPerFrame) >= paddingEnd {
            self.paddingEnd = nil
        } else if isStarted {
            runDry(at: writtenFrames)
        }
    }

    /// The server stands still behind what it has taken of the silence: the next frame comes there. Under the lock.
    func skipPadding(to readIndex: Int64, isEmptied: Bool) {
        guard let paddingEnd else { return }
        base -= max(0, readIndex / Int64(bytesPerFrame) - (writtenFrames - base))
        if isEmptied || readIndex >= paddingEnd { self.paddingEnd = nil }
    }

    /// The new sound is to begin later. Under the lock.
    private func begin(at frame: Int64) -> Int64 {
        isDry = false
        cancelDryTimer()
        // It came to rest at the end of what came too late.
        if !tracker.playhead.isRunning { resumeRunning() }
        isHolding = true
        writtenFrames = frame
        source.reset(to: frame)
        return frame
    }

    /// What the way to the server takes, in frames.
    private var way: Int64 { Int64(format.sampleRate / 500) }
    /// The frame that the device is at, also where it has run out of sound meanwhile; none before what has been told.
    private var heardFrame: Int64 {
        let now = clock.now
        return max(tracker.frame(at: now), tracker.playhead.frame(at: now, sampleRate: format.sampleRate))
    }
}
