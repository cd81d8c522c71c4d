import Glibc

/// A WAV file that is being written. The header of the file is valid after each `append`.
struct WaveFile: ~Copyable {
    let format: AudioFormat
    private let header: WaveHeader
    private let descriptor: Int32
    private let headerBytes: Int
    private(set) var dataBytes = 0
    private var noise: DitherNoise?

    /// Empties an existing file.
    init(path: String, format: AudioFormat, encoding: WaveEncoding, dither: Dither) throws(PlaybackError) {
        self.format = format
        noise = dither == .tpdf ? DitherNoise(channelCount: format.channelCount) : nil
        header = WaveHeader(format: format, encoding: encoding)
        let bytes = header.bytes(.known(0))
        headerBytes = bytes.count
        descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .unwritable(errno) }
        do throws(PlaybackError) {
            try FileDescriptor.write(bytes, to: descriptor, at: 0)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The header cannot state more.
    static let maximumDataBytes = WaveHeader.maximumDataBytes

    func byteCount(ofSamples count: Int) -> Int { count * header.encoding.bytesPerSample }

    mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError) {
        let bytes = header.encoding.bytes(of: samples, noise: &noise)
        try FileDescriptor.write(bytes, to: descriptor, at: headerBytes + dataBytes)
        dataBytes += bytes.count
        try FileDescriptor.write(header.bytes(.known(dataBytes)), to: descriptor, at: 0)
    }
}
