/// Makes boxes of MP4 files.
enum Boxes {
    /// Returns the lowest `count` bytes of a number, the highest byte first.
    static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
    }
    static func numbers(_ values: UInt64...) -> [UInt8] { values.flatMap { bytes($0, 4) } }
    static func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap(\.self)
        return bytes(UInt64(content.count + 8), 4) + Array(name.utf8) + content
    }

    /// Returns the box of an audio track. All samples have the same size, and each lasts `duration` ticks. The bytes `edits` precede the box of the
    /// media; the bytes `described` are added at the end of the sample description.
    static func track(
        _ id: UInt64, samples: UInt64, size: UInt64, duration: UInt64, perChunk: UInt64, handler: String = "soun", edits: [UInt8] = [],
        described: [UInt8] = []
    ) -> [UInt8] {
        // The fields, in order: six reserved bytes and the data reference; version, revision, vendor; channels, bits; compression, packet size;
        // sample rate.
        let description = bytes(1, 8) + numbers(0, 0) + bytes(2, 2) + bytes(16, 2) + numbers(0) + bytes(44_100 << 16, 4)
        let tables = box(
            "stbl", box("stsd", numbers(0, 1), box("sowt", description + described)), box("stts", numbers(0, 1, samples, duration)),
            box("stsc", numbers(0, 1, 1, perChunk, 1)), box("stsz", numbers(0, size, samples)), box("stco", numbers(0, 1, 4096)))
        let media = box(
            "mdia", box("mdhd", numbers(0, 0, 0, 44_100, samples, 0)), box("hdlr", numbers(0, 0) + Array(handler.utf8) + numbers(0, 0, 0) + [0]),
            box("minf", tables))
        return box("trak", box("tkhd", numbers(0, 0, 0, id) + [UInt8](repeating: 0, count: 68)), edits, media)
    }
    /// Returns a box with `count` equal edits, each of `duration` ticks from the media time `time` on.
    static func edits(_ count: Int, duration: UInt64, time: UInt64 = 0) -> [UInt8] {
        let edit = numbers(duration, time, 65_536)
        return box("edts", box("elst", numbers(0, UInt64(count)) + (0..<count).flatMap { _ in edit }))
    }
    static func movie(_ tracks: [[UInt8]], _ more: [UInt8] = []) -> [UInt8] {
        box("ftyp", Array("isom".utf8) + numbers(0))
            + box("moov", box("mvhd", numbers(0, 0, 0, 1000, 0) + [UInt8](repeating: 0, count: 80)), tracks.flatMap(\.self), more)
    }
}
