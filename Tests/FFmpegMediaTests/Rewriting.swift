/// Changes to encoded files, for headers that no encoder at hand writes.
enum Rewriting {
    struct Failure: Error {}

    /// Puts a VBRI header in front of an MP3 that has no tag: a frame like the first, whose main data is the header (Fraunhofer's layout).
    static func vbri(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xFA, bytes[2] & 0x0C == 0 else { throw Failure() }
        var frames = 0, at = 0
        while at + 4 <= bytes.count, let size = size(bytes[at...]) {
            frames += 1
            at += size
        }
        // 128 kbit/s at 44.1 kHz, without padding or checksum: room for everything.
        var frame: [UInt8] = [0xFF, 0xFB, 0x90, bytes[3]]
        frame += [UInt8](repeating: 0, count: 417 - 4)
        var header: [UInt8] = Array("VBRI".utf8) + [0, 1, 0, 0, 0, 75]
        header += big(bytes.count + 417, 4) + big(frames, 4)
        // One entry for all frames, in bytes.
        header += big(1, 2) + big(1, 2) + big(4, 2) + big(frames, 2) + big(bytes.count, 4)
        frame.replaceSubrange(36..<(36 + header.count), with: header)
        return frame + bytes
    }

    /// The size of an MPEG-1 layer 3 frame at 44.1 kHz.
    private static func size(_ bytes: ArraySlice<UInt8>) -> Int? {
        let head = Array(bytes.prefix(4))
        guard head[0] == 0xFF, head[1] & 0xFE == 0xFA else { return nil }
        let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
        let rate = rates[Int(head[2] >> 4)]
        return rate > 0 ? 144_000 * rate / 44_100 + Int(head[2] >> 1 & 1) : nil
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) } }

    /// Makes an MP4 of AAC-LC at 22.05 kHz one that says it is HE-AAC at 44.1 kHz (ISO 14496-3, 1.6.2.1): 5 is SBR, 29 SBR and parametric stereo.
    ///
    /// The stream carries no SBR data: decoders then upsample the core, and make two channels of one.
    static func audioSpecificConfig(_ bytes: [UInt8], objectType: Int, channels: Int) throws -> [UInt8] {
        // Object type 2, rate 7 (22.05 kHz), the channels, then the note that there is no SBR.
        let plain = bits([(2, 5), (7, 4), (channels, 4), (0, 3), (0x2B7, 11), (5, 5), (0, 1)])
        let explicit = bits([(objectType, 5), (7, 4), (channels, 4), (4, 4), (2, 5), (0, 3)])
        let old = Array(plain.prefix(4))
        guard let place = bytes.indices.dropLast(5).first(where: { Array(bytes[$0..<$0 + 4]) == old }) else { throw Failure() }
        var changed = bytes
        changed.replaceSubrange(place..<(place + 5), with: (explicit + [0, 0]).prefix(5))
        return changed
    }

    /// An MP4 file, its header at its end, without edit lists.
    static func withoutEdits(_ bytes: [UInt8]) throws -> [UInt8] {
        var changed = bytes
        let place = try last("edts", in: bytes)
        changed.replaceSubrange(place..<(place + 4), with: Array("free".utf8))
        return changed
    }

    /// The same, with iTunes' note of what is to be trimmed in its place.
    static func itunesNote(_ bytes: [UInt8], priming: Int, samples: Int) throws -> [UInt8] {
        var changed = try withoutEdits(bytes)
        func hex(_ value: Int, _ width: Int) -> String {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let padding = (1024 - (priming + samples) % 1024) % 1024
        let text = " 00000000 \(hex(priming, 8)) \(hex(padding, 8)) \(hex(samples, 16))"
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] { big(content.count + 8, 4) + Array(name.utf8) + content }
        let note = box(
            "----",
            box("mean", big(0, 4) + Array("com.apple.iTunes".utf8)) + box("name", big(0, 4) + Array("iTunSMPB".utf8))
                + box("data", big(1, 4) + big(0, 4) + Array(text.utf8)))
        // Into the list of tags, which is the last thing in the file; all that holds it grows.
        changed += note
        for name in ["ilst", "meta", "udta", "moov"] {
            let place = try last(name, in: bytes) - 4
            let size = changed[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard place + size == bytes.count else { throw Failure() }
            changed.replaceSubrange(place..<(place + 4), with: big(size + note.count, 4))
        }
        return changed
    }

    /// Where a box's name stands.
    private static func last(_ name: String, in bytes: [UInt8]) throws -> Int {
        let wanted = Array(name.utf8)
        guard let place = bytes.indices.dropLast(4).last(where: { bytes[$0] == wanted[0] && bytes[$0..<$0 + 4].elementsEqual(wanted) }) else {
            throw Failure()
        }
        return place
    }

    /// Numbers of so many bits each, one behind the other, filled up to whole bytes.
    private static func bits(_ fields: [(value: Int, width: Int)]) -> [UInt8] {
        var all: [Int] = fields.flatMap { field in (0..<field.width).map { field.value >> (field.width - 1 - $0) & 1 } }
        while all.count % 8 != 0 { all.append(0) }
        return stride(from: 0, to: all.count, by: 8).map { start in all[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) } }
    }
}
