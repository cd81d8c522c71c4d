/// Replaces a PulseAudio stream's audio by rewinding the device. Holds the knowledge about the device's rewinding, and the replacement in progress.
///
/// All calls of `Rewinder` need the lock of libpulse's mainloop.
final class Rewinder {
    /// The knowledge about the rewinding of the present device (the replacement of audio that the device has received and not played).
    private(set) var knowledge = Rewinding()
    /// The number of the next frame that the server would have taken at the start of the replacement in progress; nil if no replacement is in
    /// progress.
    private(set) var readFrame: Int64?
    /// The number of the frame after the trial frame (a single frame that shows whether the device can be rewound); nil if no trial is in progress.
    /// An underrun at or before this frame is ignored, because more frames follow the trial.
    private var trialEnd: Int64?
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    // MARK: The device

    /// Adopts what a former stream has found out about the rewinding of the same device.
    func adopt(_ known: Rewinding) { knowledge = known }

    /// Discards what is known about the device's rewinding, because the stream was moved to another device.
    func deviceChanged() { knowledge = Rewinding() }

    // MARK: A replacement

    /// Begins a replacement of audio by rewinding the device. Returns the number of the first frame to replace. Returns nil, and begins no
    /// replacement, if this frame is not more than one safety margin before `read` (`Rewinding.start`).
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

    /// Increases the safety margin of replacements, because a replacement of audio was late, or would be late. Returns the number of the first frame
    /// that another replacement can reach in time.
    func retreat(heard: Int64) -> Int64 { knowledge.retreat(heard: heard, sampleRate: sampleRate) }

    /// Whether it is unknown if the device can be rewound. If it is unknown, a single frame has to be sent as a trial.
    var needsTrial: Bool { knowledge.reach == nil }

    /// Begins a trial, which shows whether the device can be rewound: the frame `start` is sent alone. After the single frame of a trial the server
    /// has no data for a moment, which does not count as an underrun.
    func beginTrial(at start: Int64) { trialEnd = start + 1 }

    /// Ends the trial of the device's rewinding, if one is in progress, without waiting for the underrun that the trial may cause.
    func endTrial() { trialEnd = nil }

    /// Returns whether the trial (a single frame that shows whether the device can be rewound) has caused the underrun at `frame`. If the trial has
    /// caused the underrun, the trial ends.
    func takesUnderrun(at frame: Int64) -> Bool {
        guard let trialEnd, frame <= trialEnd else { return false }
        endTrial()
        return true
    }

    /// Evaluates the server's reply to a trial of the device's rewinding. `judgeTrial` has the parameters of
    /// `Rewinding.judge(rests:start:read:heard:sampleRate:)`.
    func judgeTrial(rests: Int64, start: Int64, read: Int64, heard: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, read: read, heard: heard, sampleRate: sampleRate)
    }

    /// Evaluates the server's reply to a replacement of audio by rewinding. `judge` has the parameters of
    /// `Rewinding.judge(rests:start:heard:now:sampleRate:)`.
    func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64) -> Rewinding.Outcome {
        knowledge.judge(rests: rests, start: start, heard: heard, now: now, sampleRate: sampleRate)
    }
}
