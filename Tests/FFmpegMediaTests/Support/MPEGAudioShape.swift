import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

/// A public form of files of MPEG audio or ADTS: the rule that it follows, its bytes, and how its audio relates to a decode by the `ffmpeg` program.
struct MPEGAudioShape: Sendable, CustomTestStringConvertible {
    typealias Bytes = @Sendable () throws -> [UInt8]

    /// The relation of the expected audio to decodes by the program.
    enum Relation: Sendable {
        /// The audio is the decode of the same bytes.
        case whole
        /// The audio is the decode of other bytes, which contain the same frames without what the rule does not use.
        case decode(of: Bytes)
        /// The audio is the decode of the same bytes, with `frames` frames of silence inserted at the position `at`, in frames.
        case silence(frames: Int, at: Int)
        /// The audio has the length of all parts at the rate of the first one, and begins with the decode of the first one.
        case parts([Part])
    }
    /// A file at its own rate, whose audio is converted to the rate of the first part.
    struct Part: Sendable {
        var rate = 44_100
        var channels = 2
        var bytes: Bytes
    }
    /// The audio that the program's decodes let expect. `samples` are its first samples, interleaved; `length` is its length, in frames.
    struct Expectation {
        var samples: [Float]
        var length: Int
        /// The largest accepted difference of the length, in frames; 0 means that `samples` are the whole audio.
        var tolerance = 0
    }

    var name: String
    /// The short name of FFmpeg's demuxer, and the ending of the file's name.
    var demuxer = "mp3"
    var relation = Relation.whole
    var bytes: Bytes
    var testDescription: String { name }

    init(_ name: String, _ demuxer: String = "mp3", _ relation: Relation = .whole, bytes: @escaping Bytes) {
        (self.name, self.demuxer, self.relation, self.bytes) = (name, demuxer, relation, bytes)
    }

    private var key: String { "shape-" + String(decoding: name.utf8.map { $0 < 48 || $0 > 122 ? 45 : $0 }, as: UTF8.self) }

    func url() throws -> URL { try TestMedia.shared.file("\(key).\(demuxer)") { try Data(bytes()).write(to: $0) } }

    /// Returns the samples to which the `ffmpeg` program decodes `bytes`, interleaved.
    private func decode(_ bytes: Bytes, _ name: String) throws -> [Float] {
        let file = try TestMedia.shared.file("\(key)-\(name).\(demuxer)") { try Data(bytes()).write(to: $0) }
        let raw = try TestMedia.shared.file("\(key)-\(name).f32") { url in
            try TestMedia.ffmpeg(["-f", demuxer, "-i", file.path, "-map", "0:a:0", "-c:a", "pcm_f32le", "-f", "f32le", url.path])
        }
        let data = try Data(contentsOf: raw)
        return [Float](unsafeUninitializedCapacity: data.count / 4) { buffer, count in count = data.copyBytes(to: buffer) / 4 }
    }

    func expectation(channels: Int) throws -> Expectation {
        switch relation {
        case .whole:
            let samples = try decode(bytes, "whole")
            return Expectation(samples: samples, length: samples.count / channels)
        case .decode(let other):
            let samples = try decode(other, "other")
            return Expectation(samples: samples, length: samples.count / channels)
        case .silence(let frames, let position):
            var samples = try decode(bytes, "whole")
            samples.insert(contentsOf: [Float](repeating: 0, count: frames * channels), at: position * channels)
            return Expectation(samples: samples, length: samples.count / channels)
        case .parts(let parts):
            var length = 0.0, first: [Float] = []
            for (number, part) in parts.enumerated() {
                let samples = try decode(part.bytes, "part-\(number)")
                length += Double(samples.count / part.channels) * Double(parts[0].rate) / Double(part.rate)
                if number == 0 { first = samples }
            }
            // The conversion of the next part may change the end of the first one.
            return Expectation(samples: Array(first.dropLast(2 * 1152 * parts[0].channels)), length: Int(length.rounded()), tolerance: 1152)
        }
    }
}

// MARK: Encoded bytes

extension MPEGAudioShape {
    /// Returns bytes that the program encodes once: 4.1 s of rising and falling tones and noise, loud and quiet in turn.
    static func encoded(_ name: String, _ ending: String = "mp3", rate: Int = 44_100, channels: Int = 2, _ arguments: [String]) throws -> [UInt8] {
        let url = try TestMedia.shared.file("shape-source-\(name).\(ending)") { url in
            let level = "0.3*(0.2+0.8*lt(mod(t,2),1))"
            let voices = ["\(level)*sin(2*PI*(200+150*t)*t)+0.05*random(0)-0.025", "\(level)*sin(2*PI*(1300-90*t)*t)+0.05*random(1)-0.025"]
            let source = "aevalsrc='\(voices.prefix(channels).joined(separator: "|"))':s=\(rate):d=4.1"
            try TestMedia.ffmpeg(["-f", "lavfi", "-i", source] + arguments + [url.path])
        }
        return try [UInt8](Data(contentsOf: url))
    }

    static let noTag = ["-write_xing", "0", "-id3v2_version", "0"]
    static func lame(_ name: String, rate: Int = 44_100, channels: Int = 2, _ arguments: [String]) throws -> [UInt8] {
        try encoded(name, rate: rate, channels: channels, ["-c:a", "libmp3lame", "-id3v2_version", "0"] + arguments)
    }
    /// Returns MP3 of 128 kbit/s at 44.1 kHz, without a tag.
    static let bare: Bytes = { try lame("bare", ["-b:a", "128k"] + noTag) }
    /// Returns MP3 of 128 kbit/s at 44.1 kHz, with an Info tag in its first frame, at offset 0.
    static let info: Bytes = { try lame("info", ["-b:a", "128k"]) }
    /// Returns MP3 of a variable bit rate, with a Xing tag in its first frame.
    static let xing: Bytes = { try lame("xing", ["-q:a", "4"]) }

    static func adts(_ name: String, rate: Int = 44_100, channels: Int = 2, _ bitRate: String) throws -> [UInt8] {
        try encoded(name, "aac", rate: rate, channels: channels, ["-c:a", "aac", "-aac_pns", "0", "-b:a", bitRate, "-f", "adts"])
    }
    static let plainADTS: Bytes = { try adts("adts", "128k") }

    /// Returns the offset of the frame with a number in bytes of `bare`, or in those of `info`, whose first frame has the tag.
    static func offset(ofFrame number: Int, in bytes: [UInt8]) -> Int {
        (0..<number).reduce(0) { at, _ in at + 144 * 128_000 / 44_100 + Int(bytes[at + 2] >> 1 & 1) }
    }
    /// Returns the offsets of the frames of ADTS (ISO 13818-7, section 6.2), and the number of bytes.
    static func offsets(adts bytes: [UInt8]) -> [Int] {
        var offsets = [0]
        while let at = offsets.last, at + 7 <= bytes.count {
            offsets.append(at + Int(bytes[at + 3] & 3) << 11 + Int(bytes[at + 4]) << 3 + Int(bytes[at + 5]) >> 5)
        }
        return offsets
    }

    /// Returns the number of samples of the silence in place of `count` bytes before a frame of `bare`: FFmpeg's parser joins them with the frame,
    /// so that it cannot be decoded, and the number of frames that are missing is estimated from all these bytes.
    static func lost(_ count: Int) -> Int { Int((Double(count + 418) / (144 * 128_000 / 44_100.0)).rounded()) * 1152 }

    /// Returns bytes without a sync word.
    static func junk(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 * 37 + 11) % 127 + 1) } }

    /// Returns `bare` with bytes before the frame `number`.
    static func inserting(_ inserted: [UInt8], beforeFrame number: Int) throws -> [UInt8] {
        let bytes = try bare(), at = offset(ofFrame: number, in: bytes)
        return Array(bytes[..<at]) + inserted + Array(bytes[at...])
    }

    /// Returns frames of layer 1, which no available encoder writes: mono, 44.1 kHz, 384 kbit/s. Each frame has 4 bits for each sample of all 32
    /// subbands, all scale factors 21, and random samples (ISO 11172-3, section 2.4.1.5).
    static func layerOne(hasChecksum: Bool) -> [UInt8] {
        var random = SeededGenerator(seed: 7), bytes: [UInt8] = []
        for _ in 0..<400 {
            var frame: [UInt8] = [0xFF, hasChecksum ? 0xFE : 0xFF, 0xC0, 0xC0] + (hasChecksum ? [0, 0] : [])
            frame += [UInt8](repeating: 0x33, count: 16) + [UInt8](repeating: 0x55, count: 24)
            while frame.count < 416 { frame.append(UInt8.random(in: 0...0xFE, using: &random)) }
            bytes += frame
        }
        return bytes
    }

    /// Returns ADTS whose frames have a checksum field, which FFmpeg does not compare.
    static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
        let starts = offsets(adts: bytes)
        return zip(starts, starts.dropFirst()).flatMap { start, end -> [UInt8] in
            var head = Array(bytes[start..<(start + 7)])
            let size = end - start + 2
            head[1] &= 0xFE
            head[3] = head[3] & 0xFC | UInt8(size >> 11)
            head[4] = UInt8(size >> 3 & 0xFF)
            head[5] = head[5] & 0x1F | UInt8(size & 7) << 5
            return head + [0, 0] + bytes[(start + 7)..<end]
        }
    }

    /// Returns bytes with a change of their Xing or Info tag: `at` is the offset of the tag's name.
    static func retagged(_ bytes: [UInt8], _ change: (_ bytes: inout [UInt8], _ at: Int) -> Void) throws -> [UInt8] {
        var bytes = bytes
        guard let at = (0..<200).first(where: { bytes[$0...].starts(with: "Xing".utf8) || bytes[$0...].starts(with: "Info".utf8) }) else {
            throw Rewriting.Failure()
        }
        change(&bytes, at)
        return bytes
    }
    /// Returns bytes whose tag states `number` of the frames that it has counted.
    static func counting(_ bytes: [UInt8], _ number: (Int) -> Int) throws -> [UInt8] {
        try retagged(bytes) { bytes, at in
            let count = bytes[(at + 8)..<(at + 12)].reduce(0) { $0 << 8 | Int($1) }
            bytes.replaceSubrange((at + 8)..<(at + 12), with: AudioTag.big(number(count), 4))
        }
    }
}

/// Tags in files of MPEG audio, by their public descriptions (id3.org, the Hydrogenaudio wiki for APE and Lyrics3).
enum AudioTag {
    static func big(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) } }
    private static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }
    private static func synchsafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (7 * (3 - $0)) & 0x7F) } }

    /// Returns an ID3v2 tag with a title, then `rest`. `excess` is added to the size that the tag states.
    static func id3v2(_ version: UInt8 = 4, flags: UInt8 = 0, rest: [UInt8] = [], excess: Int = 0) -> [UInt8] {
        let text: [UInt8] = [0] + Array("Title".utf8)
        var content = Array((version == 2 ? "TT2" : "TIT2").utf8)
        content += version == 2 ? big(text.count, 3) : big(text.count, 4) + big(0, 2)
        content += text + rest
        let head: [UInt8] = [version, 0, flags] + synchsafe(content.count + excess)
        let tag = Array("ID3".utf8) + head + content
        return flags & 0x10 != 0 ? tag + Array("3DI".utf8) + head : tag
    }
    /// A picture frame of ID3v2.3 whose content looks like headers of MPEG audio.
    static let picture: [UInt8] = {
        var content: [UInt8] = [0] + Array("image/jpeg".utf8)
        content += [0, 3, 0, 0xFF, 0xD8]
        for _ in 0..<2000 { content += [0xFF, 0xFB, 0x90, 0x40, 0] }
        return Array("APIC".utf8) + big(content.count, 4) + big(0, 2) + content
    }()
    /// A private frame of ID3v2.3 in which a zero follows each byte of 255 (unsynchronisation, ID3v2.3, section 5).
    static let unsynchronised: [UInt8] = {
        let content: [UInt8] = [97, 0, 0xFF, 0, 0xFB, 0xFF, 0, 0x90]
        return Array("PRIV".utf8) + big(content.count - 2, 4) + big(0, 2) + content
    }()
    static let id3v1: [UInt8] = Array("TAG".utf8) + Array("Title".utf8) + [UInt8](repeating: 0, count: 120)
    static let id3v1Enhanced: [UInt8] = Array("TAG+".utf8) + Array("Title".utf8) + [UInt8](repeating: 0, count: 218) + id3v1
    static func ape(_ version: Int) -> [UInt8] {
        let item: [UInt8] = little(5, 4) + little(0, 4) + Array("Title\0Value".utf8)
        func mark(_ flags: Int) -> [UInt8] {
            Array("APETAGEX".utf8) + little(version, 4) + little(item.count + 32, 4) + little(1, 4) + little(flags, 4) + little(0, 8)
        }
        return version == 1000 ? item + mark(0) : mark(0xA000_0000) + item + mark(0x8000_0000)
    }
    static let lyrics1: [UInt8] = Array("LYRICSBEGIN[00:01]A line of textLYRICSEND".utf8) + id3v1
    static let lyrics2: [UInt8] = Array("LYRICSBEGININD0000210LYR00011A line here000040LYRICS200".utf8) + id3v1
}
