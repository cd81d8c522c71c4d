/// The bytes of a WAV file before the samples: the plain header if it describes the format completely, because simple readers understand no other;
/// otherwise the extensible one, which names the speakers. Sources: Multimedia Programming Interface 1.0; Microsoft's WAVEFORMATEXTENSIBLE; EBU Tech
/// 3306 for RF64, whose sizes have 64 bits.
struct WaveHeader {
    let format: AudioFormat
    let encoding: WaveEncoding

    /// The length of the samples, in bytes.
    enum Length: Hashable {
        /// The number of bytes, which may need more than 32 bits: the header reserves a chunk for sizes of 64 bits. As long as 32 bits are enough,
        /// the chunk's name is `JUNK`, and readers skip it.
        case known(Int)
        /// The samples end with the stream; the sizes in the header have the maximum value.
        case unknown
    }

    var bytesPerFrame: Int { format.channelCount * encoding.bytesPerSample }

    /// The header up to and including the size of the samples.
    func bytes(_ length: Length) -> [UInt8] {
        let chunk = formatChunk
        var header: [UInt8] = []
        switch length {
        case .known(let dataBytes):
            // The number of bytes in the file after the first eight, with the padding byte that follows an odd number of sample bytes.
            let all = 4 + 8 + Self.roomBytes + chunk.count + 8 + dataBytes + dataBytes % 2
            let isLong = all >= Int(UInt32.max)
            header += (isLong ? "RF64" : "RIFF").utf8
            header.append(littleEndian: isLong ? .max : UInt32(all))
            header += (isLong ? "WAVEds64" : "WAVEJUNK").utf8
            header.append(littleEndian: UInt32(Self.roomBytes))
            if isLong {
                header.append(littleEndian: UInt64(all))
                header.append(littleEndian: UInt64(dataBytes))
                header.append(littleEndian: UInt64(dataBytes / bytesPerFrame))
                header.append(littleEndian: UInt32(0))
            } else {
                header += [UInt8](repeating: 0, count: Self.roomBytes)
            }
            header += chunk
            header += "data".utf8
            header.append(littleEndian: isLong ? .max : UInt32(dataBytes))
        case .unknown:
            header += "RIFF".utf8
            header.append(littleEndian: UInt32.max)
            header += "WAVE".utf8
            header += chunk
            header += "data".utf8
            header.append(littleEndian: UInt32.max)
        }
        return header
    }

    /// The bytes in a ds64 chunk without a table: three sizes of 64 bits, and the length of the table in 32 bits.
    private static let roomBytes = 28

    private var formatChunk: [UInt8] {
        let isPlain = encoding == .int16 && [ChannelLayout.mono, .stereo].contains(format.channelLayout)
        let tag: UInt16 = encoding == .float32 ? 3 : 1
        let bits = UInt16(encoding.bytesPerSample * 8)
        var chunk: [UInt8] = Array("fmt ".utf8)
        chunk.append(littleEndian: UInt32(isPlain ? 16 : 40))
        chunk.append(littleEndian: isPlain ? tag : 0xFFFE)
        chunk.append(littleEndian: UInt16(truncatingIfNeeded: format.channelCount))
        chunk.append(littleEndian: UInt32(truncatingIfNeeded: format.sampleRate))
        chunk.append(littleEndian: UInt32(truncatingIfNeeded: format.sampleRate * bytesPerFrame))
        chunk.append(littleEndian: UInt16(truncatingIfNeeded: bytesPerFrame))
        chunk.append(littleEndian: bits)
        if !isPlain {
            chunk.append(littleEndian: UInt16(22))
            chunk.append(littleEndian: bits)
            chunk.append(littleEndian: UInt32(truncatingIfNeeded: format.channelLayout.mask))
            chunk.append(littleEndian: tag)
            // The last 14 bytes of the GUIDs KSDATAFORMAT_SUBTYPE_PCM and KSDATAFORMAT_SUBTYPE_IEEE_FLOAT.
            chunk += [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
        }
        return chunk
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
