/// Replaces a stream's audio by rewinding its device: holds the knowledge about the device, and the replacement in progress.
///
/// All calls of `Rewinder` need the lock of libpulse's mainloop.
final class Rewinder {
    /// The knowledge about the rewinding of the present device (the replacement of audio that it has received).
    private(set) var knowledge = Rewinding()
    /// The next frame that the server was about to take when the replacement of audio in progress began; nil if no replacement is in progress.
    private(set) var readFrame: Int64?
    /// The number of the frame after the trial frame (a single frame that shows whether the device can be rewound); nil without a trial. An underrun
    /// at the end of the trial frame or before it is ignored, because more frames follow.
    private var trialEnd: Int64?
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    // MARK: The device

    /// Takes over the knowledge that a former stream has gained about the rewinding of the same device.
    func adopt(_ known: Rewinding) { knowledge = known }

    /// Discards the knowledge about the rewinding of the device, because the stream was moved to another device.
    func deviceChanged() { knowledge = Rewinding() }

    // MARK: A replacement

    /// Begins a replacement of audio by rewinding the device. Returns the number of the first frame to replace. Returns nil, without a replacement,
    /// if the server is about to read the next frames.
    ///
    /// - Parameters:
    ///   - heard: the number of the frame that is heard now.
    ///   - read: the number of the next frame that the server takes.
    func begin(heard: Int64, read: Int64) -> Int64? {
        guard let start = knowledge.start(heard: heard, read: read, sampleRate: sampleRate) else { return nil }
        readFrame = read
        return start
    }

    /// Ends the replacement of a stream's audio that is in progress.
    func end() { readFrame = nil }

    /// Increases the safety margin of replacements, because the replacement of audio was late. Returns the number of a frame from which a new
    /// replacement of audio will be in time to be heard.
    func retreat(heard: Int64) -> Int64 { knowledge.retreat(heard: heard, sampleRate: sampleRate) }

    /// Whether the device's ability to rewind is unknown, so that a single frame has to be sent as a trial.
    var needsTrial: Bool { knowledge.reach == nil }

    /// Begins a trial of the device's rewinding with the frame `start`, a single frame that shows whether the device can be rewound. After the single
    /// frame of a trial the server has no data for a moment, which does not count as an underrun.
    func beginTrial(at start: Int64) { trialEnd = start + 1 }

    /// Ends the trial of the device's rewinding, if there is one, although no underrun has been reported for it.
    func endTrial() { trialEnd = nil }

    /// Returns whether an underrun at `frame` is caused by the trial of the device's rewinding (the sending of a single frame). If the trial has
    /// caused the underrun, the trial ends.
    func takesUnderrun(at frame: Int64) -> Bool {
        guard let trialEnd, frame <= trialEnd else { return false }
        endTrial()
        return true
    }

    /// Evaluates the server's reply to a trial of the device's rewinding (the sending of a single frame).
    /// `Rewinding.judge(rests:start:read:heard:sampleRate:)` describes the parameters.
    func judgeTrial(rests: Int64, start: Int64, read: Int64, heard: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, read: read, heard: heard, sampleRate: sampleRate)
    }

    /// Evaluates the server's reply to a replacement of audio by rewinding. `Rewinding.judge(rests:start:heard:now:sampleRate:)` describes the
    /// parameters.
    func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, heard: heard, now: now, sampleRate: sampleRate)
    }
}
