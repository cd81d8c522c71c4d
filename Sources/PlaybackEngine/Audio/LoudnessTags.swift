import Glibc
import Platform

/// The loudness tags of a medium: ReplayGain 2.0, and R128 as defined for Opus (RFC 7845, section 5.2.1).
///
/// A ReplayGain tag has the gain that brings the audio to −18 LUFS, an R128 tag the gain that brings the audio to −23 LUFS. The gain of an R128 tag
/// is therefore increased by 5 dB, so that tracks with ReplayGain tags and tracks with R128 tags are equally loud. The output gain in an Opus header
/// is not a tag: the decoder applies the output gain, and the gain of an R128 tag is applied in addition.
public struct LoudnessTags: Sendable, Hashable {
    /// The gain of the track and the gain of the album, in decibels; a gain is nil if the medium has no valid tag with this gain.
    public var trackGain: Double?
    public var albumGain: Double?
    /// The peak of the track and the peak of the album: the greatest magnitude of all samples, relative to full scale. A peak is nil if the medium
    /// has no valid tag with this peak.
    public var trackPeak: Double?
    public var albumPeak: Double?

    public init(trackGain: Double? = nil, albumGain: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil) {
        self.trackGain = trackGain
        self.albumGain = albumGain
        self.trackPeak = trackPeak
        self.albumPeak = albumPeak
    }

    /// The limit for the gain of a tag, in decibels: gains are limited to −24…24 dB. A gain beyond the limit cannot be the measurement of a real
    /// recording.
    public static let greatestGain = 24.0
    /// The difference between R128's level of −23 LUFS and ReplayGain's level of −18 LUFS, in decibels.
    static let r128Offset = 5.0

    /// Parses the loudness tags of a medium. The text of tags is hostile, and a malformed tag counts as absent. If the same gain (track or album) is
    /// in both kinds of tags, Opus uses the R128 tag (RFC 7845 defines no other), every other codec the ReplayGain tag. Peaks come from ReplayGain
    /// tags for every codec.
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

    /// Returns the factor by which every sample of the medium is multiplied; exactly 1 if the mode is `off` or the medium has no valid gain. If a
    /// medium has only a track gain or only an album gain, that gain applies in the modes `track` and `album`. The factor is limited so that the
    /// amplified peak stays within full scale. If the medium has no peak tag, a peak of full scale is assumed, so the audio is never amplified.
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
        // If the peak tag is above full scale, the factor is at most 1: the audio is not amplified. A peak tag above full scale alone does not make
        // the factor less than 1.
        return Float(min(wanted, max(1, 1 / peak)))
    }

    // MARK: Texts

    /// Parses a gain such as `-7.89 dB`, with or without the unit. Returns nil if the text is malformed. A decimal comma is accepted too, because
    /// some programs write the comma of their user's language.
    static func decibels(_ text: OuterText) -> Double? {
        var number = trimmed(String(text))
        if number.count > 2, number.suffix(2).lowercased() == "db" { number = trimmed(number.dropLast(2)) }
        return self.number(number)
    }

    /// Parses the text of a gain that is a signed 16-bit integer in units of 1/256 dB. Returns the gain in decibels; nil if the text is malformed.
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

    /// Returns the text of a number without surrounding white space. A text of more than 64 bytes becomes empty, because the time to compare
    /// combining marks grows with the square of their number.
    private static func trimmed(_ text: some StringProtocol) -> Substring {
        guard text.utf8.count <= 64 else { return "" }
        var rest = Substring(text)
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}

/// The loudness tags that determine the level at which a medium is played.
public enum LoudnessMode: String, Sendable, Hashable, CaseIterable {
    /// Loudness tags are ignored: every medium is played at its recorded level.
    case off
    /// The loudness tags of the track are applied: all media are equally loud.
    case track
    /// The loudness tags of the album are applied: all albums are equally loud, and the differences inside an album remain.
    case album
}
