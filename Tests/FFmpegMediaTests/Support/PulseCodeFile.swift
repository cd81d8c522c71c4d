import Testing

/// Writes uncompressed samples into containers with headers that no available encoder writes.
struct PulseCodeFile: Sendable, CustomTestStringConvertible {
    enum Form: Sendable, CaseIterable {
        /// WAVEFORMATEX and WAVEFORMATEXTENSIBLE.
        case plain, extensible
        case rf64, w64, coreAudio
        /// Big-endian WAV (RIFX).
        case bigPlain, bigExtensible
    }
    var form: Form
    /// The bits of a sample, and the bytes of its container, in which it is left-justified.
    var bits: Int
    var container: Int
    var channels = 2
    var mask = 3
    /// 1 for integers, 3 for floats.
    var tag = 1

    var testDescription: String { "\(form), \(bits) bits in \(container) bytes" }
    private var isBig: Bool { form == .bigPlain || form == .bigExtensible || form == .coreAudio }

    static func big(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) } }
    static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

    /// The file of integers of `bits` bits.
    func bytes(_ samples: [Int32]) -> [UInt8] {
        bytes(sound: samples.flatMap { PulseCodeFile.number(Int($0) << (8 * container - bits), container, isBig) })
    }

    /// The file of sound that is already in bytes.
    func bytes(sound: [UInt8]) -> [UInt8] {
        let block = container * channels
        func number(_ value: Int, _ count: Int) -> [UInt8] { PulseCodeFile.number(value, count, isBig) }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + number(content.count, 4) + content + [UInt8](repeating: 0, count: content.count % 2)
        }
        let isPlain = form == .plain || form == .bigPlain
        var format = number(isPlain ? tag : 0xFFFE, 2) + number(channels, 2) + number(44_100, 4)
        format += number(44_100 * block, 4) + number(block, 2) + number(isPlain ? bits : 8 * container, 2)
        if isPlain, tag != 1 { format += number(0, 2) }
        if !isPlain {
            format += number(22, 2) + number(bits, 2) + number(mask, 4) + number(tag, 2)
            format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        switch form {
        case .plain, .extensible, .bigPlain, .bigExtensible:
            let body = Array("WAVE".utf8) + chunk("JUNK", [1, 2, 3]) + chunk("fmt ", format) + chunk("data", sound)
            return Array((isBig ? "RIFX" : "RIFF").utf8) + number(body.count, 4) + body
        case .rf64:
            let sizes = number(0, 8) + number(sound.count, 8) + number(sound.count / block, 8) + number(0, 4)
            var file = Array("RF64".utf8) + number(0xFFFF_FFFF, 4) + Array("WAVE".utf8)
            file += chunk("ds64", sizes) + chunk("fmt ", format)
            return file + Array("data".utf8) + number(0xFFFF_FFFF, 4) + sound
        case .w64:
            let tail: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
            func part(_ name: String, _ content: [UInt8]) -> [UInt8] { Array(name.utf8) + tail + number(content.count + 24, 8) + content }
            let body = Array("wave".utf8) + tail + part("fmt ", format) + part("data", sound)
            let head: [UInt8] = [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]
            return Array("riff".utf8) + head + number(body.count + 24, 8) + body
        case .coreAudio:
            func part(_ name: String, _ content: [UInt8]) -> [UInt8] { Array(name.utf8) + number(content.count, 8) + content }
            let rate = number(Int(Double(44_100).bitPattern), 8)
            var description = rate + Array("lpcm".utf8) + number(0, 4) + number(block, 4)
            description += number(1, 4) + number(channels, 4) + number(bits, 4)
            return Array("caff".utf8) + [0, 1, 0, 0] + part("desc", description) + part("data", number(0, 4) + sound)
        }
    }

    /// An AIFF-C file of stereo at 44.1 kHz. `frames` is what the common chunk states; a chunk of text follows the sound.
    static func aiff(_ type: String, bits: Int, container: Int, isBig: Bool, frames: Int, _ samples: [Int32]) -> [UInt8] {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + big(content.count, 4) + content + [UInt8](repeating: 0, count: content.count % 2)
        }
        let rate: [UInt8] = [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]
        var common = big(2, 2) + big(frames, 4) + big(bits, 2)
        common += rate + Array(type.utf8) + [0, 0]
        let sound = samples.flatMap { number(Int($0) << (8 * container - bits), container, isBig) }
        var body = Array("AIFC".utf8) + chunk("FVER", [0xA2, 0x80, 0x51, 0x40]) + chunk("COMM", common)
        body += chunk("SSND", [UInt8](repeating: 0, count: 8) + sound)
        body += chunk("ANNO", Array("A text of some length.".utf8))
        return Array("FORM".utf8) + big(body.count, 4) + body
    }

    private static func number(_ value: Int, _ count: Int, _ isBig: Bool) -> [UInt8] { isBig ? big(value, count) : little(value, count) }
}
