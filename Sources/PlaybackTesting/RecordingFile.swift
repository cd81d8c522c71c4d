import Glibc

/// A WAV file that can be played after each block, even if the process is killed.
struct RecordingFile: ~Copyable {
    /// In bytes.
    private static let limit = 100 << 20

    private let descriptor: Int32
    private let sampleRate: Int
    private let channelCount: Int
    private let bytesPerSample: Int
    private let isFloat: Bool
    private var size = 0

    init?(path: String, sampleRate: Int, channelCount: Int, bytesPerSample: Int, isFloat: Bool) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return nil }
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.bytesPerSample = bytesPerSample
        self.isFloat = isFloat
        writeHeader()
    }

    deinit { close(descriptor) }

    /// A failing disk is none of the test.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard size + bytes.count <= Self.limit else { return }
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(Self.headerSize + size)) }
        size += max(written, 0)
        writeHeader()
    }

    private static let headerSize = 44

    private func writeHeader() {
        var header: [UInt8] = []
        func put(_ number: Int, _ count: Int) { header += (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        let bytesPerFrame = channelCount * bytesPerSample
        header += "RIFF".utf8
        put(Self.headerSize - 8 + size, 4)
        header += "WAVEfmt ".utf8
        put(16, 4)
        put(isFloat ? 3 : 1, 2)
        put(channelCount, 2)
        put(sampleRate, 4)
        put(sampleRate * bytesPerFrame, 4)
        put(bytesPerFrame, 2)
        put(bytesPerSample * 8, 2)
        header += "data".utf8
        put(size, 4)
        _ = pwrite(descriptor, header, header.count, 0)
    }
}
