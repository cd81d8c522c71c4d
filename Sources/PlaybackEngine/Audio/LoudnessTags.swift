import Glibc
import Platform

/// The loudness tags of a medium: ReplayGain 2.0, and R128 as defined for Opus (RFC 7845, section 5.2.1).
///
/// A ReplayGain tag brings the audio to −18 LUFS, an R128 tag to −23 LUFS, so 5 dB are added to the latter. The output gain in an Opus header is not
/// a tag: the decoder applies it, and the tag in addition.
public struct LoudnessTags: Sendable, Hashable {
    /// The gain in decibels; nil without a valid tag.
    public var trackGain: Double?
    public var albumGain: Double?
    /// The greatest magnitude of all samples, relative to full scale; nil without a valid tag.
    public var trackPeak: Double?
    public var albumPeak: Double?

    public init(trackGain: Double? = nil, albumGain: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil) {
        self.trackGain = trackGain
        self.albumGain = albumGain
        self.trackPeak = trackPeak
        self.albumPeak = albumPeak
    }

    /// The greatest valid gain and attenuation, in decibels. A gain beyond it cannot be the measurement of a real recording.
    public static let greatestGain = 24.0
    /// The difference from R128's −23 LUFS to ReplayGain's −18, in decibels.
    static let r128Offset = 5.0

    /// Reads the tags of a medium. Their text is hostile; a malformed tag counts as absent. For Opus, the R128 gain has priority (RFC 7845 defines no
    /// other), for other codecs that of ReplayGain; all peaks come from ReplayGain.
    public init(_ info: MediaInfo) {
        let prefersR128 = info.codecName == "opus"
        func gain(_ scope: String) -> Double? {
            let replayGain = info.tag("replaygain_\(scope)_gain").flatMap(Self.decibels)
            let r128 = info.tag("r128_\(scope)_gain").flatMap(Self.q7p8).map { $0 + Self.r128Offset }
            return prefersR128 ? r128 ?? replayGain : replayGain ?? r128
        }
        self.init(
            trackGain: gain("track"), albumGain: gain("album"), trackPeak: info.tag("replaygain_track_peak").flatMap(Self.peak),
            albumPeak: info.tag("replaygain_album_peak").flatMap(Self.peak))
    }

    /// The factor by which every sample is multiplied; exactly 1 if the mode is `off` or no gain is valid. If only one of the two gains is tagged, it
    /// applies in both modes. The amplified peak stays within full scale; without a peak tag, the peak is assumed to be at full scale.
    public func factor(_ mode: LoudnessMode) -> Float {
        let choice: (gain: Double?, peak: Double?)
        switch mode {
        case .off: return 1
        case .track: choice = trackGain == nil ? (albumGain, albumPeak ?? trackPeak) : (trackGain, trackPeak ?? albumPeak)
        case .album: choice = albumGain == nil ? (trackGain, trackPeak ?? albumPeak) : (albumGain, albumPeak ?? trackPeak)
        }
        guard let gain = choice.gain, gain.isFinite else { return 1 }
        let wanted = pow(10, min(Self.greatestGain, max(-Self.greatestGain, gain)) / 20)
        let peak = choice.peak.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? 1
        // The peak only limits an amplification: a peak above full scale does not attenuate the audio.
        return Float(min(wanted, max(1, 1 / peak)))
    }

    // MARK: Texts

    /// Parses a gain such as `-7.89 dB`, with or without the unit. Some programs write the decimal comma of their user's language.
    static func decibels(_ text: OuterText) -> Double? {
        var number = trimmed(String(text))
        if number.count > 2, number.suffix(2).lowercased() == "db" { number = trimmed(number.dropLast(2)) }
        return self.number(number)
    }

    /// Parses a signed 16-bit integer in units of 1/256 dB, and returns decibels.
    static func q7p8(_ text: OuterText) -> Double? { Int16(trimmed(String(text))).map { Double($0) / 256 } }

    static func peak(_ text: OuterText) -> Double? { number(trimmed(String(text))).flatMap { $0 > 0 ? $0 : nil } }

    private static func number(_ text: Substring) -> Double? {
        let isPlain = text.utf8.allSatisfy { byte in
            byte.isASCIIDigit || "+-.,eE".utf8.contains(byte)
        }
        guard isPlain, text.utf8.count <= 32, let value = Double(text.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ".")),
            value.isFinite
        else { return nil }
        return value
    }

    /// The text without outer white space; empty if it has more than 64 bytes, because the time to compare combining marks grows with the
    /// square of their number.
    private static func trimmed(_ text: some StringProtocol) -> Substring {
        guard text.utf8.count <= 64 else { return "" }
        var rest = Substring(text)
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}

/// The choice of the loudness tags that determine the level.
public enum LoudnessMode: String, Sendable, Hashable, CaseIterable {
    /// Every medium is played at its recorded level.
    case off
    /// The tags of the track: all media are equally loud.
    case track
    /// All albums are equally loud, and the differences inside an album remain.
    case album
}
