import Glibc

/// What a medium's tags say of its loudness: ReplayGain 2.0, and R128 as Opus has it (RFC 7845, section 5.2.1). Pure.
///
/// Gains are those that bring the sound to ReplayGain's −18 LUFS. R128 tags mean −23 LUFS: they are raised by 5 dB, so that an album of mixed formats is even.
/// The output gain of an Opus header is no tag: it is part of decoding, and R128 tags count on top of it.
public struct LoudnessTags: Sendable, Hashable {
    /// Decibels; nil where there is no tag that makes sense.
    public var trackGain: Double?
    public var albumGain: Double?
    /// The greatest magnitude of any sample, 1 being full scale; nil where there is no tag that makes sense.
    public var trackPeak: Double?
    public var albumPeak: Double?

    public init(trackGain: Double? = nil, albumGain: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil) {
        self.trackGain = trackGain
        self.albumGain = albumGain
        self.trackPeak = trackPeak
        self.albumPeak = albumPeak
    }

    /// The most by which tags may change the loudness, either way, decibels. More is no measurement of a recording.
    public static let greatestGain = 24.0
    /// Between R128's −23 LUFS and ReplayGain's −18.
    static let r128Offset = 5.0

    /// Reads the tags, whose text is hostile: what is malformed counts as absent. Where both families are there, R128 counts in Opus, which has no other
    /// (RFC 7845), and ReplayGain elsewhere.
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

    /// What every sample is to be multiplied by; exactly 1 where nothing is to change.
    ///
    /// A medium with only one of the two gains is played by that. Nothing is made so loud that its peak leaves full scale; where no peak is told,
    /// full scale is taken for it, so that such sound is never made louder.
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
        // Sound that leaves full scale as it is may stay as it is, but is made no louder.
        return Float(min(wanted, max(1, 1 / peak)))
    }

    // MARK: Texts

    /// `-7.89 dB`, with or without the unit; some programs write the comma of their user's language.
    static func decibels(_ text: String) -> Double? {
        var number = trimmed(text)
        if number.count > 2, number.suffix(2).lowercased() == "db" { number = trimmed(number.dropLast(2)) }
        return self.number(number)
    }

    /// A whole number of 1/256 decibels, signed 16 bits.
    static func q7p8(_ text: String) -> Double? { Int16(trimmed(text)).map { Double($0) / 256 } }

    static func peak(_ text: String) -> Double? { number(trimmed(text)).flatMap { $0 > 0 ? $0 : nil } }

    private static func number(_ text: Substring) -> Double? {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.,eE".utf8.contains(byte)
        }
        guard isPlain, text.utf8.count <= 32, let value = Double(text.split(separator: ",", omittingEmptySubsequences: false).joined(separator: ".")),
            value.isFinite
        else { return nil }
        return value
    }

    /// A number without the white space around it; nothing of a longer text, whose combining marks would cost their square to compare.
    private static func trimmed(_ text: some StringProtocol) -> Substring {
        guard text.utf8.count <= 64 else { return "" }
        var rest = Substring(text)
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return rest
    }
}
