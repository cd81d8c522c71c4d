/// The knowledge about a device's rewinding: the replacement of audio that the device has received and not played yet.
///
/// If a stream writes before the server's read index (the next frame that the server takes), the server rewinds the device. It mixes the audio that
/// the device has not played yet again, from the written position on. The PulseAudio server does not report how far it has rewound the device. Only
/// the server's read index shows how far the device was rewound, if the stream has no further data after the written frames. To see this read index,
/// the first replacement of audio on a device sends a single frame, as a trial of the device's rewinding. The other frames of the replacement follow
/// after the reply has confirmed the position of the single frame. After a successful trial, replacements of audio on the same device need no trial.
struct Rewinding: Equatable {
    /// The range of the safety margin of replacements, in seconds. The safety margin is the time for a command to reach the server, including the
    /// work before the command is sent. A frame must be replaced at least one safety margin before it is heard. The safety margin doubles after a
    /// late replacement, and decreases after a success.
    static let margins = 0.005...0.020
    /// The lead of a trial, as a multiple of the safety margin: a trial needs one command and its reply, and then a second command.
    private static let firstFactor = 2.0
    /// The factor by which the safety margin decreases after a successful replacement of audio.
    private static let decay = 0.9
    /// The longest part of new audio, in seconds, that may be missing at its start without another replacement: another replacement would lose more
    /// audio.
    private static let bearableDelay = 0.005
    /// The maximum time from the heard frame to the first frame that a replacement can reach, in seconds. No known device needs a lead of more than
    /// 40 ms.
    static let longestLead = 0.040
    /// The number of failed rewinds in a row after which a device counts as unable to rewind (to replace audio that it has received).
    private static let patience = 2

    /// The time after the heard frame within which the device cannot replace frames, in seconds; nil until a trial has measured it.
    private(set) var reach: Double?
    /// The present safety margin of replacements, in seconds.
    private(set) var margin = margins.lowerBound
    private var failures = 0
    /// Whether the device counts as unable to rewind (to replace audio that it has received), after failed rewinds in a row.
    var isHopeless: Bool { failures >= Self.patience }

    /// The time from the heard frame to the first frame that a replacement can reach, in seconds.
    var lead: Double { reach.map { min($0 + margin, Self.longestLead) } ?? Self.firstFactor * margin }

    /// The part of the knowledge about rewinding that is valid for another stream on the same device.
    var ofDevice: Rewinding {
        var known = self
        known.failures = 0
        return known
    }

    /// Returns the number of the first frame to replace if frame `heard` is heard now. Returns nil if the first frame to replace is not earlier than
    /// `read`, the next frame that the server takes, by at least the safety margin.
    func start(heard: Int64, read: Int64, sampleRate: Int) -> Int64? {
        let start = heard + Int64(lead * Double(sampleRate))
        return start + Int64(margin * Double(sampleRate)) < read ? start : nil
    }

    /// The result of a command that replaces a stream's audio from a frame on.
    enum Outcome: Equatable {
        /// The new audio is heard from the requested frame on, except for at most `bearableDelay` (5 ms) of its start.
        case inPlace
        /// The new audio can begin only at the associated frame: the device had already played the frames before it, or could not rewind further.
        case begins(Int64)
        /// The device did not rewind, so that the audio was not replaced. The device plays the old audio before the
        /// associated frame (its number in the ring). New audio can begin only at that frame.
        case stays(Int64)
    }

    /// Evaluates the server's reply to a trial of rewinding with a single frame, `start`.
    ///
    /// - Parameters:
    ///   - rests: the number of the next frame that the server takes, according to the reply.
    ///   - read: the number of the next frame that the server was about to take before the trial.
    ///   - heard: the number of the frame that was heard when the reply to the trial arrived.
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

    /// Evaluates whether the new audio of a replacement, from frame `start` on, arrived in time.
    ///
    /// - Parameters:
    ///   - rests: the number of the next frame that the server was about to take when it received the new audio; nil if unknown. The server's read
    ///     index moves back no further than the device rewinds, and then advances.
    ///   - heard: the number of the frame that was heard when the server received the new audio. The reply to a replacement may arrive much later
    ///     than the server received the new audio.
    ///   - now: the number of the frame that is heard now.
    mutating func judge(rests: Int64?, start: Int64, heard: Int64, now: Int64, sampleRate: Int) -> Outcome {
        let begun = min(heard, rests ?? heard)
        if begun <= start { return inTime() }
        let later = retreat(heard: now, sampleRate: sampleRate)
        return Double(begun - start) <= Self.bearableDelay * Double(sampleRate) ? .inPlace : .begins(later)
    }

    /// Decreases the safety margin, because the last replacement of audio was in time.
    private mutating func inTime() -> Outcome {
        margin = max(margin * Self.decay, Self.margins.lowerBound)
        return .inPlace
    }

    /// Increases the safety margin, because it was not sufficient for the last replacement of audio. Returns the number of a frame from which a
    /// replacement of audio will be in time to be heard.
    mutating func retreat(heard: Int64, sampleRate: Int) -> Int64 {
        margin = min(2 * margin, Self.margins.upperBound)
        return heard + Int64(lead * Double(sampleRate))
    }
}
