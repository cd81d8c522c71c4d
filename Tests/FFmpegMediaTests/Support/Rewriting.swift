/// Changes encoded files to have headers that no available encoder writes.
enum Rewriting {
    struct Failure: Error {}

    /// Prepends a VBRI header to an MP3 without a tag: a frame like the first one, whose main data is the header (Fraunhofer's layout).
    static func vbri(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xFA, bytes[2] & 0x0C == 0 else { throw Failure() }
        var frames = 0, at = 0
        while at + 4 <= bytes.count, let size = size(bytes[at...]) {
            frames += 1
            at += size
        }
        // The frame has 128 kbit/s at 44.1 kHz, without padding or checksum: 417 bytes, which are enough for the VBRI header.
        var frame: [UInt8] = [0xFF, 0xFB, 0x90, bytes[3]]
        frame += [UInt8](repeating: 0, count: 417 - 4)
        var header: [UInt8] = Array("VBRI".utf8) + [0, 1, 0, 0, 0, 75]
        header += big(bytes.count + 417, 4) + big(frames, 4)
        // The header's table has a single entry, which has the number of bytes of all frames.
        header += big(1, 2) + big(1, 2) + big(4, 2) + big(frames, 2) + big(bytes.count, 4)
        frame.replaceSubrange(36..<(36 + header.count), with: header)
        return frame + bytes
    }

    /// Returns the size of an MPEG-1 layer 3 frame at 44.1 kHz, in bytes, from its header; nil if the bytes are no such header.
    private static func size(_ bytes: ArraySlice<UInt8>) -> Int? {
        let head = Array(bytes.prefix(4))
        guard head[0] == 0xFF, head[1] & 0xFE == 0xFA else { return nil }
        let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
        let rate = rates[Int(head[2] >> 4)]
        return rate > 0 ? 144_000 * rate / 44_100 + Int(head[2] >> 1 & 1) : nil
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) } }

    /// Changes an MP4 of AAC-LC at 22.05 kHz to signal HE-AAC at 44.1 kHz (ISO 14496-3, 1.6.2.1). The object type 5 means SBR, 29 means SBR and
    /// parametric stereo.
    ///
    /// The stream has no SBR data: decoders then upsample the core, and make two channels of one.
    static func audioSpecificConfig(_ bytes: [UInt8], objectType: Int, channels: Int) throws -> [UInt8] {
        // The original configuration: object type 2, rate 7 (22.05 kHz), the channels, and the statement that there is no SBR.
        let plain = packed([(2, 5), (7, 4), (channels, 4), (0, 3), (0x2B7, 11), (5, 5), (0, 1)])
        let explicit = packed([(objectType, 5), (7, 4), (channels, 4), (4, 4), (2, 5), (0, 3)])
        let old = Array(plain.prefix(4))
        guard let place = bytes.indices.dropLast(5).first(where: { Array(bytes[$0..<$0 + 4]) == old }) else { throw Failure() }
        var changed = bytes
        changed.replaceSubrange(place..<(place + 5), with: (explicit + [0, 0]).prefix(5))
        return changed
    }

    /// Stores a stereo ADTS stream at 44.1 kHz in a Core Audio file. The file states which frames belong to the recording: `valid` frames after
    /// `priming` frames (Core Audio Format Specification).
    static func coreAudio(_ adts: [UInt8], priming: Int, valid: Int) throws -> [UInt8] {
        var packets: [[UInt8]] = [], at = 0
        while at < adts.count {
            guard at + 7 <= adts.count, adts[at] == 0xFF else { throw Failure() }
            let size = Int(adts[at + 3] & 3) << 11 | Int(adts[at + 4]) << 3 | Int(adts[at + 5]) >> 5
            guard size > 7, at + size <= adts.count else { throw Failure() }
            packets.append(Array(adts[(at + 7)..<(at + size)]))
            at += size
        }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] { Array(name.utf8) + big(content.count, 8) + content }
        /// Returns a descriptor of MPEG-4 (ISO 14496-1, 7.2.6). Its length has four bytes, as in Apple's files.
        func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80, 0x80, 0x80, UInt8(content.count)] + content }
        let config = descriptor(5, packed([(2, 5), (4, 4), (2, 4), (0, 3)]))
        let cookie = descriptor(
            3, [0, 0, 0] + descriptor(4, [0x40, 0x15, 0, 0, 0] + big(160_000, 4) + big(160_000, 4) + config) + descriptor(6, [2]))
        let rate = big(Int(Double(44_100).bitPattern), 8)
        let description = rate + Array("aac ".utf8) + big(0, 4) + big(0, 4) + big(1024, 4) + big(2, 4) + big(0, 4)
        let sizes = packets.flatMap { [UInt8($0.count >> 7) | 0x80, UInt8($0.count & 0x7F)] }
        guard packets.allSatisfy({ $0.count < 1 << 14 }), packets.count * 1024 >= priming + valid else { throw Failure() }
        let table = big(packets.count, 8) + big(valid, 8) + big(priming, 4) + big(packets.count * 1024 - priming - valid, 4) + sizes
        return Array("caff".utf8) + [0, 1, 0, 0] + chunk("desc", description) + chunk("kuki", cookie) + chunk("pakt", table)
            + chunk("data", big(0, 4) + packets.flatMap { $0 })
    }

    /// Removes the edit lists of an MP4 file whose header is at its end.
    static func withoutEdits(_ bytes: [UInt8]) throws -> [UInt8] {
        var changed = bytes
        let place = try last("edts", in: bytes)
        changed.replaceSubrange(place..<(place + 4), with: Array("free".utf8))
        return changed
    }

    /// Replaces the edits of an MP4 file whose header is at its end: durations in milliseconds, media times in the track's time scale.
    static func edited(_ bytes: [UInt8], _ edits: [(duration: Int, time: Int)]) throws -> [UInt8] {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] { big(content.count + 8, 4) + Array(name.utf8) + content }
        // Version 1 of an edit list has numbers of 64 bits. It is used if a media time needs them.
        let isLong = edits.contains { Int(Int32(truncatingIfNeeded: $0.time)) != $0.time }, width = isLong ? 8 : 4
        let list = edits.flatMap { big($0.duration, width) + big($0.time, width) + big(65_536, 4) }
        let box = box("edts", box("elst", big(isLong ? 1 << 24 : 0, 4) + big(edits.count, 4) + list))
        let place = try last("edts", in: bytes) - 4
        func size(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
        var changed = bytes
        for name in ["trak", "moov"] {
            let outer = try last(name, in: bytes) - 4
            guard outer < place, outer + size(outer) > place else { throw Failure() }
            changed.replaceSubrange(outer..<(outer + 4), with: big(size(outer) + box.count - size(place), 4))
        }
        changed.replaceSubrange(place..<(place + size(place)), with: box)
        return changed
    }

    /// Removes the edit lists of an MP4 file, and adds an iTunSMPB tag with the padding to trim.
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
        // The tag is added to the list of tags, which is at the end of the file. The sizes of all boxes that contain the list grow.
        changed += note
        for name in ["ilst", "meta", "udta", "moov"] {
            let place = try last(name, in: bytes) - 4
            let size = changed[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard place + size == bytes.count else { throw Failure() }
            changed.replaceSubrange(place..<(place + 4), with: big(size + note.count, 4))
        }
        return changed
    }

    /// Returns the byte offset of the name of the last box with this name.
    private static func last(_ name: String, in bytes: [UInt8]) throws -> Int {
        let wanted = Array(name.utf8)
        guard let place = bytes.indices.dropLast(4).last(where: { bytes[$0] == wanted[0] && bytes[$0..<$0 + 4].elementsEqual(wanted) }) else {
            throw Failure()
        }
        return place
    }

    /// Adds to the configuration of an MP4 of AAC-LC at 22.05 kHz, whose header is at its end, the backward-compatible signal of SBR, and with
    /// `hasStereo` of parametric stereo (ISO 14496-3, 1.6.5.2).
    static func announcingUpperBand(_ bytes: [UInt8], channels: Int, hasStereo: Bool) throws -> [UInt8] {
        let config = packed([(2, 5), (7, 4), (channels, 4), (0, 3)])
        let announcement = packed([(0x2B7, 11), (5, 5), (1, 1), (4, 4)] + (hasStereo ? [(0x548, 11), (1, 1)] : []))
        let box = try last("esds", in: bytes)
        // Three descriptors contain the configuration, and become longer with it. Each has a length of four bytes, the lowest byte last.
        guard let place = bytes.indices.dropLast(1).first(where: { $0 > box && Array(bytes[$0..<$0 + 2]) == config }), bytes[place - 5] == 5 else {
            throw Failure()
        }
        var changed = bytes
        for (tag, length) in [(UInt8(3), box + 12), (4, box + 20), (5, place - 1)] {
            guard bytes[length - 4] == tag, Int(bytes[length]) + announcement.count < 128 else { throw Failure() }
            changed[length] += UInt8(announcement.count)
        }
        changed.insert(contentsOf: announcement, at: place + 2)
        for name in ["esds", "mp4a", "stsd", "stbl", "minf", "mdia", "trak", "moov"] {
            let place = try last(name, in: bytes) - 4
            let size = changed[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            changed.replaceSubrange(place..<(place + 4), with: big(size + announcement.count, 4))
        }
        return changed
    }

    /// Returns numbers of the given widths in bits, one after the other, with zeros up to a whole byte.
    private static func packed(_ fields: [(value: Int, width: Int)]) -> [UInt8] {
        var bits = BitString()
        bits.append(fields)
        return bits.bytes
    }
}
