import Glibc
import Platform
import PlaybackEngine

extension MediaReport {
    /// The report on a medium as aligned lines of text, beginning with the path or URL from the command line. In the report, text from the medium is
    /// escaped, so that it cannot control a terminal.
    var text: String {
        var lines: [(name: String, value: String)] = [("Format", format)]
        lines.append(("Duration", duration))
        if info.encoderDelay > 0 || info.encoderPadding > 0 {
            lines.append(("Encoder", "delay \(info.encoderDelay), padding \(info.encoderPadding) samples"))
        }
        let notes =
            [info.isSeekable ? "" : "not seekable", info.isLive ? "live" : "", info.hasProtectedContent ? "protected" : ""] + changes.map(\.text)
        if let note = notes.filter({ !$0.isEmpty }).nonEmpty?.joined(separator: ", ") { lines.append(("Note", note)) }
        if let loudness { lines.append(("Loudness", loudness)) }
        if let measured { lines.append(("Measured", measured)) }
        if let artwork = info.artwork { lines.append(("Artwork", "\(artwork.mimeType), \(Self.size(artwork.data.count))")) }
        lines += Self.block("Tags", info.metadata.map { (Log.escaped($0.key), Self.firstLine(String($0.value))) })
        lines += Self.block("Chapters", info.chapters.map { (Self.clock($0.start), Self.firstLine(String($0.title))) })
        let width = lines.map(\.name.count).max() ?? 0
        let body = lines.map { "  \(TerminalText.padded($0.name, width))  \($0.value)\n" }
        return Log.escaped(input) + "\n" + body.joined()
    }

    /// The format of the audio as text: for example `flac in ogg, 44100 Hz, stereo, 16 bit, 812 kbit/s`.
    private var format: String {
        var parts = [info.codecName == info.containerName ? info.codecName : "\(info.codecName) in \(info.containerName)"]
        parts.append("\(info.format.sampleRate) Hz")
        parts.append(info.format.channelLayout.name)
        if let bits = info.bitsPerSample { parts.append("\(bits) bit") }
        if let rate = info.bitRate { parts.append("\((rate + 500) / 1000) kbit/s") }
        return parts.joined(separator: ", ")
    }

    /// The duration of the medium as text: for example `3:25.120, 9045792 samples (exact)`.
    private var duration: String {
        switch info.duration {
        case .unknown: "unknown"
        case .exact(let frames, let rate): "\(Self.clock(Double(frames) / Double(max(1, rate)))), \(frames) samples (exact)"
        case .estimated(let frames, let rate): "\(Self.clock(Double(frames) / Double(max(1, rate)))), \(frames) samples (estimated)"
        }
    }

    /// The loudness tags of the medium as ReplayGain values, in text: for example `track -7.89 dB, peak 0.98; album -6.50 dB`; nil if the medium has
    /// no loudness tags.
    private var loudness: String? {
        let tags = LoudnessTags(info)
        func part(_ name: String, _ gain: Double?, _ peak: Double?) -> String? {
            let values = [gain.map { "\(Self.hundredths($0)) dB" }, peak.map { "peak \(Self.hundredths($0))" }].compactMap(\.self)
            return values.isEmpty ? nil : "\(name) \(values.joined(separator: ", "))"
        }
        let parts = [part("track", tags.trackGain, tags.trackPeak), part("album", tags.albumGain, tags.albumPeak)].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The measured loudness as text: for example `-9.31 LUFS, range 6.10 LU, true peak 0.42 dB, sample peak -0.10 dB, 12 frames over full scale`.
    private var measured: String? {
        guard let measurement else { return nil }
        func peak(_ name: String, _ peak: Double) -> String { name + (peak > 0 ? " \(Self.hundredths(20 * log10(peak))) dB" : " none") }
        var parts = [measurement.integrated.map { "\(Self.hundredths($0)) LUFS" } ?? "silence"]
        if let range = measurement.range { parts.append("range \(Self.hundredths(range)) LU") }
        parts += [peak("true peak", measurement.truePeak), peak("sample peak", measurement.samplePeak)]
        if measurement.clippedFrames > 0 { parts.append("\(measurement.clippedFrames) frames over full scale") }
        return parts.joined(separator: ", ")
    }

    private static func hundredths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "unknown" }
        let all = Int((abs(value) * 100).rounded()), rest = all % 100
        return "\(value < 0 && all > 0 ? "-" : "")\(all / 100).\(Log.digits(rest, 2))"
    }

    /// Returns the lines of the report for a list (the tags or the chapters of the medium). Only the first has the title of the list.
    private static func block(_ title: String, _ entries: [(key: String, value: String)]) -> [(name: String, value: String)] {
        let width = entries.map { TerminalText.columns(of: $0.key) }.max() ?? 0
        return entries.enumerated().map { index, entry in (index == 0 ? title : "", "\(TerminalText.padded(entry.key, width))  \(entry.value)") }
    }

    /// Returns the first line of a text, followed by the number of the text's other lines if there are any.
    private static func firstLine(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.first, lines.count > 1 else { return Log.escaped(text) }
        return "\(Log.escaped(String(first))) (and \(lines.count - 1) more lines)"
    }

    /// Returns a number of seconds as text with minutes and hours: for example `0:04.000` or `1:02:03.500`.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e12 else { return "unknown" }
        let all = Int((abs(seconds) * 1000).rounded())
        let (hours, minutes, rest) = (all / 3_600_000, all / 60_000 % 60, all % 60_000)
        let tail = "\(Log.digits(rest / 1000, 2)).\(Log.digits(rest % 1000, 3))"
        let head = hours > 0 ? "\(hours):\(Log.digits(minutes, 2))" : "\(minutes)"
        return "\(seconds < 0 ? "-" : "")\(head):\(tail)"
    }

    /// Returns a size in bytes as text with a unit: for example `24.1 kB`.
    private static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return "\(bytes) bytes" }
        let (unit, name) = bytes < 1_000_000 ? (1000, "kB") : (1_000_000, "MB")
        let tenths = (bytes * 10 + unit / 2) / unit
        return "\(tenths / 10).\(tenths % 10) \(name)"
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

extension ChannelLayout {
    /// The common name of the channel layout, such as `mono`, `stereo` or `5.1`. A channel layout without a common name is described by the names of
    /// its speakers; if these are unknown, by the number of channels.
    var name: String {
        switch (mask, count) {
        case (0x4, _): return "mono"
        case (0x3, _): return "stereo"
        case (0xB, _): return "2.1"
        case (0x7, _): return "3.0"
        case (0x33, _), (0x603, _): return "quad"
        case (0x37, _), (0x607, _): return "5.0"
        case (0x3F, _), (0x60F, _): return "5.1"
        case (0x13F, _), (0x70F, _): return "6.1"
        case (0x63F, _): return "7.1"
        case (0, let count): return count == 1 ? "1 channel" : "\(count) channels"
        default: break
        }
        // The names of the speakers are in the order of the bits in WAVE's channel mask.
        let speakers = [
            "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR", "TBL", "TBC", "TBR",
        ]
        return (0..<64).filter { mask >> UInt64($0) & 1 == 1 }.map { $0 < speakers.count ? speakers[$0] : "bit\($0)" }.joined(separator: "+")
    }
}
