/// Replaces a stream's audio by rewinding the device: what is known about it, and the replacement in progress. Needs the lock.
final class Rewinder {
    private(set) var knowledge = Rewinding()
    /// The next frame that the server would have taken at the start of the replacement; nil if there is none.
    private(set) var readFrame: Int64?
    /// After the trial frame. An underrun up to here is ignored, because more frames follow.
    private var trialEnd: Int64?
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    // MARK: The device

    /// Of a former stream on the same device.
    func adopt(_ known: Rewinding) { knowledge = known }

    func deviceChanged() { knowledge = Rewinding() }

    // MARK: A replacement

    /// Returns the first frame to replace; nil, without a replacement, if that is not more than one margin before `read` (`Rewinding.start`).
    /// - Parameter read: The next frame that the server takes.
    func begin(heard: Int64, read: Int64) -> Int64? {
        guard let start = knowledge.start(heard: heard, read: read, sampleRate: sampleRate) else { return nil }
        readFrame = read
        return start
    }

    func end() { readFrame = nil }

    /// A replacement was or would be late: increases the margin, and returns the first frame that another one can reach.
    func retreat(heard: Int64) -> Int64 { knowledge.retreat(heard: heard, sampleRate: sampleRate) }

    /// Whether it is unknown if the device can be rewound, so that a single frame has to be sent.
    var needsTrial: Bool { knowledge.reach == nil }

    /// `start` is sent alone; the lack of data after it is no underrun.
    func beginTrial(at start: Int64) { trialEnd = start + 1 }

    /// Without waiting for the underrun that it may cause.
    func endTrial() { trialEnd = nil }

    /// The trial has caused the underrun, and ends.
    func takesUnderrun(at frame: Int64) -> Bool {
        guard let trialEnd, frame <= trialEnd else { return false }
        endTrial()
        return true
    }

    /// As `Rewinding.judge(rests:start:read:heard:sampleRate:)`.
    func judgeTrial(rests: Int64, start: Int64, read: Int64, heard: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, read: read, heard: heard, sampleRate: sampleRate)
    }

    /// As `Rewinding.judge(rests:start:heard:now:sampleRate:)`.
    func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, heard: heard, now: now, sampleRate: sampleRate)
    }
}
