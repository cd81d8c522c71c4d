/// What is known about a device's rewinding.
///
/// If a stream writes before the server's read index, the server rewinds the device and mixes again from there, but does not report how far. The read
/// index shows how far if nothing follows the written frames. So the first replacement on a device sends a single frame as a trial, and the other
/// frames after the reply has confirmed its position; later replacements need no trial.
struct Rewinding: Equatable {
    /// The range of `margin`, the time until a command reaches the server, in seconds. It doubles after a late replacement, and decreases after one
    /// in time.
    static let margins = 0.005...0.020
    /// The factor of the margin for a trial, which needs a command, its reply and a second command.
    private static let firstFactor = 2.0
    /// The factor of the margin after a successful replacement.
    private static let decay = 0.9
    /// In seconds; new audio may begin late by this time, because another replacement would lose more.
    private static let bearableDelay = 0.005
    /// The limit of `lead`, in seconds; no known device needs more than 40 ms.
    static let longestLead = 0.040
    /// The number of failed rewinds in a row after which no further one is tried.
    private static let patience = 2

    /// The time from now within which frames cannot be replaced, in seconds; nil before a trial.
    private(set) var reach: Double?
    /// The time until a command reaches the server, in seconds (`margins`).
    private(set) var margin = margins.lowerBound
    private var failures = 0
    /// Whether several consecutive rewinds failed.
    var isHopeless: Bool { failures >= Self.patience }

    /// The time from the heard frame to the first that can be replaced, in seconds.
    var lead: Double { reach.map { min($0 + margin, Self.longestLead) } ?? Self.firstFactor * margin }

    /// The part of the knowledge that is also valid for another stream on the device.
    var ofDevice: Rewinding {
        var known = self
        known.failures = 0
        return known
    }

    /// The first frame to replace; nil if it is not more than one margin before `read`, because too little would be replaced.
    func start(heard: Int64, read: Int64, sampleRate: Int) -> Int64? {
        let start = heard + Int64(lead * Double(sampleRate))
        return start + Int64(margin * Double(sampleRate)) < read ? start : nil
    }

    enum Outcome: Equatable {
        /// The new audio begins at the requested frame, or at most `bearableDelay` later.
        case inPlace
        /// The new audio can begin only at a later frame: the earlier ones were played, or the device could not rewind further.
        case begins(Int64)
        /// Nothing is replaced: the old audio is played up to this frame, where new audio can begin.
        case stays(Int64)
    }

    /// Judges a trial, after the frame `start` was sent alone.
    /// - Parameters:
    ///   - rests: The next frame that the server takes, by its reply.
    ///   - read: The next frame that the server would take without the trial.
    ///   - heard: The frame that was heard when the reply arrived.
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

    /// Whether new audio from `start` on arrived in time.
    /// - Parameters:
    ///   - rests: The read index after the new audio, which moves back as far as the device rewinds, and then advances; nil if unknown.
    ///   - heard: The frame that was heard when the server received the new audio, perhaps much before its reply.
    mutating func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64, sampleRate: Int) -> Outcome {
        let begun = min(heard, rests ?? heard)
        if begun <= start { return inTime() }
        let later = retreat(heard: now, sampleRate: sampleRate)
        return Double(begun - start) <= Self.bearableDelay * Double(sampleRate) ? .inPlace : .begins(later)
    }

    /// The replacement was in time: decreases the margin.
    private mutating func inTime() -> Outcome {
        margin = max(margin * Self.decay, Self.margins.lowerBound)
        return .inPlace
    }

    /// Increases the margin; returns the first frame that another replacement can reach.
    mutating func retreat(heard: Int64, sampleRate: Int) -> Int64 {
        margin = min(2 * margin, Self.margins.upperBound)
        return heard + Int64(lead * Double(sampleRate))
    }
}

/// Replaces a stream's audio by rewinding the device: what is known about it, and the replacement in progress. Needs the lock.
final class Rewinder {
    private(set) var knowledge = Rewinding()
    /// The next frame that the server would have taken at the start of the replacement; nil if there is none.
    private(set) var readFrame: Int64?
    /// The frame after the trial. An underrun up to here is ignored, because more frames follow.
    private var trialEnd: Int64?
    private let sampleRate: Int

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    // MARK: The device

    /// Takes over what a former stream on the same device has found out.
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

    /// Begins a trial: the frame `start` will be sent alone, and the lack of data after it is no underrun.
    func beginTrial(at start: Int64) { trialEnd = start + 1 }

    /// Ends the trial without waiting for the underrun that it may cause.
    func endTrial() { trialEnd = nil }

    /// Whether the trial has caused the underrun; the trial then ends.
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
