/// The replacement of a stream's audio by rewinding its device: the knowledge about the device, and the replacement in progress.
///
/// All calls need the mainloop's lock.
final class Rewinder {
    /// The knowledge about the present device.
    private(set) var knowledge = Rewinding()
    /// The number of the frame at the server's read index when the replacement in progress began; nil if no replacement is in progress.
    private(set) var readFrame: Int64?
    /// The number of the frame after the trial frame; nil without a trial. An underrun at this frame or before it is ignored, because more frames
    /// follow.
    private var trialEnd: Int64?
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    // MARK: The device

    /// Uses the knowledge that a former stream has gained about the same device.
    func adopt(_ known: Rewinding) { knowledge = known }

    /// Discards the knowledge about the device, because the stream was moved to another device.
    func deviceChanged() { knowledge = Rewinding() }

    // MARK: A replacement

    /// Begins a replacement. Returns the first frame to replace. Returns nil, without a replacement, if the server is about to read again.
    ///
    /// - Parameters:
    ///   - heard: the number of the frame that is heard now.
    ///   - read: the number of the frame at the server's read index.
    func begin(heard: Int64, read: Int64) -> Int64? {
        guard let start = knowledge.start(heard: heard, read: read, sampleRate: sampleRate) else { return nil }
        readFrame = read
        return start
    }

    /// Ends the replacement in progress.
    func end() { readFrame = nil }

    /// Increases the safety margin, because the replacement is late. Returns the number of a frame from which a new replacement will be in time.
    func retreat(heard: Int64) -> Int64 { knowledge.retreat(heard: heard, sampleRate: sampleRate) }

    /// Whether the device's behaviour is unknown, so that a single frame has to be sent as a trial.
    var needsTrial: Bool { knowledge.reach == nil }

    /// Begins a trial with the frame `start`. After this single frame the server has no data for a moment, which does not count as an underrun.
    func beginTrial(at start: Int64) { trialEnd = start + 1 }

    /// Ends the trial, if there is one, although no underrun has been reported for it.
    func endTrial() { trialEnd = nil }

    /// Returns whether an underrun at `frame` is caused by the trial. If it is, ends the trial.
    func takesUnderrun(at frame: Int64) -> Bool {
        guard let trialEnd, frame <= trialEnd else { return false }
        endTrial()
        return true
    }

    /// Evaluates the reply to a trial. `Rewinding.judge(rests:start:read:heard:sampleRate:)` describes the parameters.
    func judgeTrial(rests: Int64, start: Int64, read: Int64, heard: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, read: read, heard: heard, sampleRate: sampleRate)
    }

    /// Evaluates the reply to a replacement. `Rewinding.judge(rests:start:heard:now:sampleRate:)` describes the parameters.
    func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, heard: heard, now: now, sampleRate: sampleRate)
    }
}
