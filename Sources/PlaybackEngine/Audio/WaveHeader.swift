/// What stands in a WAV file before its samples. Pure.
///
/// Where the plain header says all there is to say it is used, for the sake of simple readers; otherwise the extensible one, which names the speakers.
/// Multimedia Programming Interface 1.0, Microsoft's WAVEFORMATEXTENSIBLE, and for what the 32 bits of RIFF cannot count RF64 (EBU Tech 3306).
struct WaveHeader {
    let format: AudioFormat
    let encoding: WaveEncoding

    /// What is known of the number of bytes of samples.
    enum Length: Hashable {
        /// So many. The most that the header can tell is `maximumDataBytes`.
        case known(Int)
        /// So many, and there is room to tell any number: a chunk that readers pass over keeps it while it is not needed.
        case roomy(Int)
        /// Whatever comes until the end, as a stream has it: both sizes are the greatest there are.
        case unknown
    }

    /// The most bytes of samples that a header without room can tell.
    static let maximumDataBytes = Int(UInt32.max) - 256

    var bytesPerFrame: Int { format.channelCount * encoding.bytesPerSample }

    /// Up to and with the size of the data.
    func bytes(_ length: Length) -> [UInt8] {
        let chunk = formatChunk
        var header: [UInt8] = []
        switch length {
        case .known(let dataBytes):
            header += "RIFF".utf8
            header.append(littleEndian: UInt32(clamping: 12 + chunk.count + dataBytes))
            header += "WAVE".utf8
            header += chunk
            header += "data".utf8
            header.append(littleEndian: UInt32(clamping: dataBytes))
        case .roomy(let dataBytes):
            // Everything behind the first eight bytes, with the byte that makes an odd number of data bytes even.
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

    /// The contents of a ds64 chunk without a table: three sizes of 64 bits and the length of the table.
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
            // The rest of KSDATAFORMAT_SUBTYPE_PCM and _IEEE_FLOAT.
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
