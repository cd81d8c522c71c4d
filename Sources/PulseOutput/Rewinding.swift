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
