/// The replacement of a stream's audio by rewinding its device: what is known of the device, and the replacement in progress.
///
/// All calls need the mainloop's lock.
final class Rewinder {
    /// The knowledge about the present device.
    private(set) var knowledge = Rewinding()
    /// The server's read index, as a frame, when the replacement in progress began; nil if there is none.
    private(set) var readFrame: Int64?
    /// The frame after the trial frame: an underrun at or before it is ignored, because more frames follow.
    private var trialEnd: Int64?
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    // MARK: The device

    /// Uses the knowledge of a former stream on the same device.
    func adopt(_ known: Rewinding) { knowledge = known }

    /// Discards the knowledge, because the stream was moved to another device.
    func deviceChanged() { knowledge = Rewinding() }

    // MARK: A replacement

    /// Begins a replacement. Returns the first frame to replace; nil, without a replacement, if the server is about to read again.
    ///
    /// - Parameters:
    ///   - heard: the frame heard now.
    ///   - read: the server's read index, as a frame.
    func begin(heard: Int64, read: Int64) -> Int64? {
        guard let start = knowledge.start(heard: heard, read: read, sampleRate: sampleRate) else { return nil }
        readFrame = read
        return start
    }

    /// Ends the replacement.
    func end() { readFrame = nil }

    /// Increases the margin, because the replacement is late. Returns a frame at which it will be in time.
    func retreat(heard: Int64) -> Int64 { knowledge.retreat(heard: heard, sampleRate: sampleRate) }

    /// Whether the device's behaviour is unknown, so that a single frame has to be sent as a trial.
    var needsTrial: Bool { knowledge.reach == nil }

    /// Begins a trial with the frame `start`. After it the server has no data for a moment, which is no underrun.
    func beginTrial(at start: Int64) { trialEnd = start + 1 }

    /// Ends the trial without an underrun.
    func endTrial() { trialEnd = nil }

    /// Returns whether an underrun at a frame is the one of the trial, and ends the trial if so.
    func takesUnderrun(at frame: Int64) -> Bool {
        guard let trialEnd, frame <= trialEnd else { return false }
        endTrial()
        return true
    }

    /// Evaluates the reply to a trial, see `Rewinding`.
    func judgeTrial(rests: Int64, start: Int64, read: Int64, heard: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, read: read, heard: heard, sampleRate: sampleRate)
    }

    /// Evaluates the reply to a replacement, see `Rewinding`.
    func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, heard: heard, now: now, sampleRate: sampleRate)
    }
}
