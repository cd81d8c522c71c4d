import Glibc

/// How samples are written.
public enum WaveEncoding: Sendable, Hashable {
    /// 16-bit integers: exact for sound of up to 16 bits.
    case int16
    /// 32-bit floats: exact.
    case float32

    var bytesPerSample: Int { self == .int16 ? 2 : 4 }
}

/// A WAV file being written. Its header tells what is in it after each `append`.
struct WaveFile: ~Copyable {
    let format: AudioFormat
    private let encoding: WaveEncoding
    private let descriptor: Int32
    private let header: [UInt8]
    private(set) var dataBytes = 0

    /// Creates the file, or empties it.
    init(path: String, format: AudioFormat, encoding: WaveEncoding) throws(PlaybackError) {
        self.format = format
        self.encoding = encoding
        header = Self.header(format, encoding)
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.error(errno) }
        do throws(PlaybackError) {
            try write(header, at: 0)
            try writeSizes()
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The most bytes of samples that the header can tell.
    static let maximumDataBytes = Int(UInt32.max) - 256

    func byteCount(ofSamples count: Int) -> Int { count * encoding.bytesPerSample }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount(ofSamples: samples.count))
        for sample in samples {
            switch encoding {
            case .int16: bytes.append(littleEndian: UInt16(bitPattern: Self.int16(sample)))
            case .float32: bytes.append(littleEndian: sample.bitPattern)
            }
        }
        try write(bytes, at: header.count + dataBytes)
        dataBytes += bytes.count
        try writeSizes()
    }

    /// The nearest 16-bit value; what is no number is silence.
    static func int16(_ sample: Float) -> Int16 {
        let scaled = (sample * 32_768).rounded()
        if scaled >= 32_767 { return 32_767 }
        return scaled > -32_768 ? Int16(scaled) : scaled.isNaN ? 0 : -32_768
    }

    private func writeSizes() throws(PlaybackError) {
        var size: [UInt8] = []
        size.append(littleEndian: UInt32(header.count - 8 + dataBytes))
        try write(size, at: 4)
        size = []
        size.append(littleEndian: UInt32(dataBytes))
        try write(size, at: header.count - 4)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(PlaybackError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(offset + done)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error(count < 0 ? errno : EIO) }
            done += count
        }
    }

    private static func error(_ code: Int32) -> PlaybackError {
        PlaybackError(
            .outputUnavailable, "The output file cannot be written.",
            underlying: PlaybackError.Underlying(domain: "POSIX", code: Int(code), message: String(cString: strerror(code))))
    }

    /// Up to and with the size of the data. Where the plain header says all there is to say it is used, for the sake of simple readers; otherwise
    /// the extensible one, which names the speakers. Multimedia Programming Interface 1.0 and Microsoft's WAVEFORMATEXTENSIBLE.
    private static func header(_ format: AudioFormat, _ encoding: WaveEncoding) -> [UInt8] {
        let isPlain = encoding == .int16 && [ChannelLayout.mono, .stereo].contains(format.channelLayout)
        let tag: UInt16 = encoding == .int16 ? 1 : 3
        let bytesPerFrame = format.channelCount * encoding.bytesPerSample
        var header: [UInt8] = []
        header += "RIFF".utf8
        header.append(littleEndian: UInt32(0))
        header += "WAVEfmt ".utf8
        header.append(littleEndian: UInt32(isPlain ? 16 : 40))
        header.append(littleEndian: isPlain ? tag : 0xFFFE)
        header.append(littleEndian: UInt16(truncatingIfNeeded: format.channelCount))
        header.append(littleEndian: UInt32(truncatingIfNeeded: format.sampleRate))
        header.append(littleEndian: UInt32(truncatingIfNeeded: format.sampleRate * bytesPerFrame))
        header.append(littleEndian: UInt16(truncatingIfNeeded: bytesPerFrame))
        header.append(littleEndian: UInt16(encoding.bytesPerSample * 8))
        if !isPlain {
            header.append(littleEndian: UInt16(22))
            header.append(littleEndian: UInt16(encoding.bytesPerSample * 8))
            header.append(littleEndian: UInt32(truncatingIfNeeded: format.channelLayout.mask))
            header.append(littleEndian: tag)
            // The rest of KSDATAFORMAT_SUBTYPE_PCM and _IEEE_FLOAT.
            header += [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71]
        }
        header += "data".utf8
        header.append(littleEndian: UInt32(0))
        return header
    }
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
