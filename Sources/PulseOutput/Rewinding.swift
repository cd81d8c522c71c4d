/// The knowledge about a device's rewinding (the replacement of audio that the device has received and not played).
///
/// If a stream writes frames before the server's read index (the next frame that the server takes), the server rewinds the device. From the first
/// written frame on, the server then mixes again the audio that the device has not played yet. The server does not report how far it has rewound the
/// device. If no other data follow the written frames, the server's read index shows how far the server has rewound the device. Therefore the first
/// replacement of audio on a device sends a single frame, as a trial. The other frames follow after the reply has confirmed that the single frame is
/// in its position. After a successful trial, replacements of audio on the same device need no trial.
struct Rewinding: Equatable {
    /// The range of the safety margin of replacements, in seconds. The safety margin is the time until a command reaches the server, including the
    /// work before the command is sent. A frame can be replaced only if it is heard later than one safety margin from now. The safety margin doubles
    /// after a late replacement, and decreases after a replacement in time.
    static let margins = 0.005...0.020
    /// The lead of a trial (`lead`), as a multiple of the safety margin. A trial needs more time than one command: a command, its reply and a second
    /// command.
    private static let firstFactor = 2.0
    /// The factor by which the safety margin decreases after a successful replacement of audio.
    private static let decay = 0.9
    /// The maximum delay of new audio, in seconds, at which the replacement is not repeated. The start of the new audio is then lost, but another
    /// replacement would lose more.
    private static let bearableDelay = 0.005
    /// The maximum `lead` of a replacement, in seconds: the time from the heard frame to the first frame that can be replaced. No known device needs
    /// more than 40 ms.
    static let longestLead = 0.040
    /// The number of consecutive failed rewinds after which a device counts as unable to rewind (to replace audio that it has received).
    private static let patience = 2

    /// A duration in seconds: the device cannot replace the frames that are heard within this duration from now. Nil until a trial has measured the
    /// duration.
    private(set) var reach: Double?
    /// The present safety margin of replacements, in seconds: the time until a command reaches the server.
    private(set) var margin = margins.lowerBound
    private var failures = 0
    /// Whether the device counts as unable to rewind (to replace audio that it has received), because several consecutive rewinds failed.
    var isHopeless: Bool { failures >= Self.patience }

    /// The time from the heard frame to the first frame that can be replaced, in seconds.
    var lead: Double { reach.map { min($0 + margin, Self.longestLead) } ?? Self.firstFactor * margin }

    /// The knowledge about rewinding that is also valid for another stream on the same device.
    var ofDevice: Rewinding {
        var known = self
        known.failures = 0
        return known
    }

    /// Returns the number of the first frame to replace, if the frame `heard` is heard now. Returns nil if this frame is not more than one safety
    /// margin before `read`, the next frame that the server takes: a rewind would then replace too little.
    func start(heard: Int64, read: Int64, sampleRate: Int) -> Int64? {
        let start = heard + Int64(lead * Double(sampleRate))
        return start + Int64(margin * Double(sampleRate)) < read ? start : nil
    }

    /// The result of a command that replaces a stream's audio from a frame on.
    enum Outcome: Equatable {
        /// The new audio is heard from the requested frame on, except for at most `bearableDelay` (5 ms) of its start.
        case inPlace
        /// The new audio begins at the associated frame, later than requested: the device had already played the frames before it, or could not
        /// rewind further.
        case begins(Int64)
        /// The device did not rewind, so the audio was not replaced. The device plays the old audio up to the associated frame. New audio can begin
        /// only at the associated frame.
        case stays(Int64)
    }

    /// Evaluates the server's reply to a trial of rewinding, for which the frame `start` was sent alone.
    ///
    /// - Parameters:
    ///   - rests: the number of the next frame that the server takes, according to the server's reply to the trial.
    ///   - read: the number of the next frame that the server would have taken without the trial.
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

    /// Evaluates whether new audio, which replaces the old audio from `start` on, arrived in time.
    ///
    /// - Parameters:
    ///   - rests: the server's read index after it has received the new audio: the number of the next frame that the server takes. Nil if the read
    ///     index is unknown. The read index moves back as far as the device rewinds, and then advances.
    ///   - heard: the number of the frame that was heard at the moment when the server received the new audio. The server's reply may arrive much
    ///     later.
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

    /// Increases the safety margin, because it was too short for the last replacement of audio. Returns the number of the first frame that another
    /// replacement can reach in time.
    mutating func retreat(heard: Int64, sampleRate: Int) -> Int64 {
        margin = min(2 * margin, Self.margins.upperBound)
        return heard + Int64(lead * Double(sampleRate))
    }
}
