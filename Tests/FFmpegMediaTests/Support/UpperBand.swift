/// Adds an upper band to AAC-LC, because no available encoder writes spectral band replication (SBR) or parametric stereo (PS).
///
/// Each frame of an ADTS stream at 22.05 kHz gets a fill element. It describes the band from 7.9 to 15.8 kHz (ISO 14496-3, 4.4.2.8), and optionally
/// parametric stereo (8.6.4.2). As in the output of real encoders, only one frame per second has a complete description; each other frame has only
/// the difference to the preceding frame. So a frame is decoded correctly only if decoding began at or before the last complete description.
struct UpperBand {
    /// The number of channels of the AAC-LC stream: 1 or 2.
    var channels: Int
    /// Whether parametric stereo is added: a description from which a decoder makes two channels of one.
    var isParametricStereo = false
    /// The level of the noise in the upper band, as the code of ISO 14496-3: 0…31, in steps of 3 dB; a higher code is less noise, and 30 is no
    /// audible noise.
    var noise = 30

    /// The number of codec frames from one complete description to the next: a second, because a codec frame has 1,024 samples at 22.05 kHz.
    private static let period = 22

    /// Returns an ADTS stream with the upper band added.
    func added(to adts: [UInt8]) throws -> [UInt8] {
        var output: [UInt8] = [], at = 0, number = 0
        while at < adts.count {
            // A frame must begin with the syncword. It has no checksum, object type 2 (AAC-LC), rate 7 (22.05 kHz), and one block of samples.
            guard at + 7 <= adts.count, adts[at] == 0xFF, adts[at + 1] & 0xF7 == 0xF1, adts[at + 2] & 0xFC == 0x5C else { throw Rewriting.Failure() }
            let size = Int(adts[at + 3] & 3) << 11 | Int(adts[at + 4]) << 3 | Int(adts[at + 5]) >> 5
            guard size > 7, at + size <= adts.count else { throw Rewriting.Failure() }
            let payload = try added(to: Array(adts[(at + 7)..<(at + size)]), number: number)
            var head = Array(adts[at..<(at + 7)])
            let total = payload.count + 7
            head[3] = head[3] & 0xFC | UInt8(total >> 11)
            head[4] = UInt8(total >> 3 & 0xFF)
            head[5] = head[5] & 0x1F | UInt8(total & 7) << 5
            output += head + payload
            at += size
            number += 1
        }
        return output
    }

    /// Returns a frame with the fill element inserted before the frame's end mark. The end mark is the last three of the bits that are set.
    private func added(to frame: [UInt8], number: Int) throws -> [UInt8] {
        guard let last = frame.lastIndex(where: { $0 != 0 }) else { throw Rewriting.Failure() }
        var bits = BitString(frame)
        bits.truncate(to: 8 * last + 8 - frame[last].trailingZeroBitCount - 3)
        let description = self.description(number)
        let bytes = (4 + description.count + 7) / 8
        bits.append(6, 3)
        bits.append(min(bytes, 15), 4)
        if bytes >= 15 { bits.append(bytes - 14, 8) }
        bits.append(13, 4)
        bits.append(description)
        bits.append(0, 8 * bytes - 4 - description.count)
        bits.append(7, 3)
        return bits.bytes
    }

    /// Returns the description of the upper band for the frame with this number (`sbr_extension_data` of ISO 14496-3).
    private func description(_ number: Int) -> BitString {
        var bits = BitString()
        let isWhole = number % UpperBand.period == 0
        bits.append(isWhole ? 1 : 0, 1)
        // The header of SBR: levels in steps of 1.5 dB, the first and the last frequency of the upper band, bands of a linear scale, and one band of
        // noise.
        if isWhole { bits.append([(0, 1), (12, 4), (14, 4), (0, 3), (0, 2), (1, 1), (0, 1), (0, 2), (0, 1), (0, 2)]) }
        // There are no extra data. Two channels are coded separately, not as sum and difference.
        bits.append(0, channels == 2 ? 2 : 1)
        for _ in 0..<channels { bits.append([(0, 2), (0, 2), (0, 1)]) }
        for _ in 0..<channels { bits.append([(isWhole ? 0 : 1, 1), (0, 1)]) }
        for _ in 0..<channels { bits.append(0, 2) }
        for _ in 0..<channels {
            if isWhole {
                bits.append(31, 7)
                bits.append(0, 2 * 10)
            } else {
                // The levels rise, stay and fall in turn, by one step. The code 100 means one step more, 01 one step less, 00 the same level.
                let step = [(4, 3), (0, 2), (1, 2)][number % 3]
                for _ in 0..<11 { bits.append(step.0, step.1) }
            }
        }
        for _ in 0..<channels { bits.append(noise, 5) }
        bits.append(0, channels)
        guard isParametricStereo else {
            bits.append(0, 1)
            return bits
        }
        var stereo = BitString()
        stereo.append(2, 2)
        stereo.append(isWhole ? 1 : 0, 1)
        // The header of parametric stereo: level differences and coherence, with ten bands each.
        if isWhole { stereo.append([(1, 1), (0, 3), (1, 1), (0, 3), (0, 1)]) }
        stereo.append([(0, 1), (1, 2)])
        stereo.append(isWhole ? 0 : 1, 1)
        if isWhole {
            stereo.append(12, 4)
        } else {
            let step = [(6, 3), (0, 1), (2, 2)][number % 3]
            stereo.append(step.0, step.1)
        }
        stereo.append(0, 9)
        stereo.append(isWhole ? 0 : 1, 1)
        if isWhole { stereo.append(2, 2) } else { stereo.append(0, 1) }
        stereo.append(0, 9)
        let bytes = (stereo.count + 7) / 8
        bits.append(1, 1)
        bits.append(bytes, 4)
        bits.append(stereo)
        bits.append(0, 8 * bytes - stereo.count)
        return bits
    }
}

/// A sequence of bits. The first bit is the highest bit of the first byte.
struct BitString {
    private var values: [UInt8] = []

    init() {}
    init(_ bytes: [UInt8]) { values = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } } }

    var count: Int { values.count }

    mutating func truncate(to count: Int) { values.removeLast(values.count - count) }
    mutating func append(_ value: Int, _ width: Int) { for bit in (0..<width).reversed() { values.append(UInt8(value >> bit & 1)) } }
    mutating func append(_ fields: [(value: Int, width: Int)]) { for field in fields { append(field.value, field.width) } }
    mutating func append(_ other: BitString) { values += other.values }

    /// The bits, padded with zeros to whole bytes.
    var bytes: [UInt8] {
        stride(from: 0, to: values.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < values.count ? values[start + $1] : 0) }
        }
    }
}
