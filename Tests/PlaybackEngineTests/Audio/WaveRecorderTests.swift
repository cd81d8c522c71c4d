import Glibc
import Testing

@testable import PlaybackEngine

@Suite("WAV files of the file output")
struct WaveRecorderTests {
    private let directory = TemporaryDirectory()
    private var path: String { "\(directory.path)/out.wav" }

    @Test("16-bit samples are written exactly, with a plain format chunk and a header that is valid after each append")
    func int16() throws {
        let recorder = WaveRecorder(path: path, encoding: .int16)
        try recorder.begin(.compactDisc)
        #expect(try WaveContents(path).sampleBytes.isEmpty)
        let values: [Int16] = [0, 1, -1, 32_767, -32_768, 1_234, -4_321, 7]
        try append(values.map { Float($0) / 32_768 }, to: recorder)
        try append([0.5, -0.5], to: recorder)
        let wave = try WaveContents(path)
        #expect(wave.tag == 1)
        #expect(wave.channelCount == 2)
        #expect(wave.sampleRate == 44_100)
        #expect(wave.bitsPerSample == 16)
        #expect(wave.int16 == values + [16_384, -16_384])
    }

    @Test("32-bit floats of many channels are written exactly, with a header that has the channel layout")
    func float32() throws {
        let layout = ChannelLayout(mask: 0x3F)
        let recorder = WaveRecorder(path: path, encoding: .float32)
        try recorder.begin(AudioFormat(sampleRate: 96_000, channelLayout: layout))
        let values: [Float] = [0.1, -0.2, 1.5, -7, .leastNonzeroMagnitude, 0]
        try append(values, to: recorder)
        let wave = try WaveContents(path)
        #expect(wave.tag == 0xFFFE)
        #expect(wave.extensionTag == 3)
        #expect(wave.mask == 0x3F)
        #expect(wave.channelCount == 6)
        #expect(wave.sampleRate == 96_000)
        #expect(wave.float32 == values)
    }

    @Test("floats have the extensible format chunk even for two channels, because the plain one is for integers")
    func stereoFloat() throws {
        let recorder = WaveRecorder(path: path, encoding: .float32)
        try recorder.begin(.compactDisc)
        try append([0.1, 0.2], to: recorder)
        let wave = try WaveContents(path)
        #expect(wave.tag == 0xFFFE)
        #expect(wave.mask == 3)
        #expect(wave.float32 == [0.1, 0.2])
    }

    @Test("samples outside the range of 16 bits are clipped, and NaN becomes silence")
    func limits() {
        let values = [2, 1, -1, -2, .infinity, -.infinity, .nan].map { WaveEncoding.integer($0, bits: 16) }
        #expect(values == [32_767, 32_767, -32_768, -32_768, 32_767, -32_768, 0])
    }

    @Test("a stream of the same format is appended, one of another format starts the next file")
    func formats() throws {
        let recorder = WaveRecorder(path: path, encoding: .int16)
        try recorder.begin(.compactDisc)
        try append([0, 0], to: recorder)
        recorder.end()
        try recorder.begin(.compactDisc)
        try append([0.5, 0.5], to: recorder)
        recorder.end()
        try recorder.begin(AudioFormat(sampleRate: 48_000, channelLayout: .stereo))
        try append([0.25, 0.25], to: recorder)
        #expect(try WaveContents(path).int16 == [0, 0, 16_384, 16_384])
        let second = try WaveContents("\(directory.path)/out-2.wav")
        #expect(second.sampleRate == 48_000)
        #expect(second.int16 == [8_192, 8_192])
    }

    @Test("the stream after a failure begins the next file, and the file before it stays valid")
    func failure() throws {
        let recorder = WaveRecorder(path: path, encoding: .int16)
        try recorder.begin(.compactDisc)
        try append([0, 0], to: recorder)
        try fillDisk(of: path)
        let error = #expect(throws: PlaybackError.self) { try append([0.5, 0.5], to: recorder) }
        #expect(error?.code == .outputUnavailable)
        try recorder.begin(.compactDisc)
        try append([0.25, 0.25], to: recorder)
        #expect(try WaveContents(path).int16 == [0, 0])
        #expect(try WaveContents("\(directory.path)/out-2.wav").int16 == [8_192, 8_192])
    }

    /// Lets the writes to an open file fail as those to a full disk do.
    private func fillDisk(of path: String) throws {
        var file = stat(), candidate = stat()
        try #require(stat(path, &file) == 0)
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        for descriptor in Int32(3)..<1024 where fstat(descriptor, &candidate) == 0 {
            if candidate.st_ino == file.st_ino, candidate.st_dev == file.st_dev { dup2(full, descriptor) }
        }
    }

    @Test("further files get a number before their extension")
    func names() {
        #expect(WaveRecorder.path("/a.b/c", number: 2) == "/a.b/c-2")
        #expect(WaveRecorder.path("/a.b/c.d.wav", number: 3) == "/a.b/c.d-3.wav")
        #expect(WaveRecorder.path(".wav", number: 2) == ".wav-2")
        #expect(WaveRecorder.path("x.wav", number: 1) == "x.wav")
    }

    @Test("a file that cannot be written gives an error with errno", arguments: ["/nonexistent/x.wav", "/tmp", "/dev/full"])
    func unwritable(path: String) {
        let error = #expect(throws: PlaybackError.self) { try WaveRecorder(path: path, encoding: .int16).begin(.compactDisc) }
        #expect(error?.code == .outputUnavailable)
        #expect(error?.underlying?.domain == "POSIX")
    }

    @Test("the file output writes the samples of its source with its volume applied")
    func provider() throws {
        let clock = StillClock()
        let sink = FileOutputProvider(path: path, clock: clock, isThreaded: false).makeClockedSink()
        #expect(sink.description == OutputDescription(kind: "file", id: path, name: "out.wav"))
        #expect(!sink.isAudible)
        let source = RenderRing(minimumCapacity: 16, channelCount: 2)
        try sink.open(.compactDisc, source: source, base: 0) { _ in }
        _ = source.write([0.5, -0.5, 0.25, -0.25] + [Float](repeating: 1, count: 28), frameCount: 16)
        try sink.start()
        clock.advance(by: 2.5 / 44_100)
        sink.setVolume(0, isMuted: false)
        clock.advance(by: 0.01)
        sink.close()
        let samples = try WaveContents(path).int16
        #expect(Array(samples.prefix(4)) == [16_384, -16_384, 8_192, -8_192])
        #expect(samples.count == 32)
        #expect(samples.dropFirst(4).allSatisfy { $0 > 0 } && samples[31] < samples[4])
    }

    private func append(_ samples: [Float], to recorder: WaveRecorder) throws {
        try samples.withUnsafeBufferPointer { samples throws(PlaybackError) in try recorder.append(samples) }
    }
}

/// The content of a WAV file. It is parsed strictly: each size in the file must be exact.
private struct WaveContents {
    struct Malformed: Error {}
    var tag = 0
    var extensionTag = 0
    var mask = 0
    var channelCount = 0
    var sampleRate = 0
    var bitsPerSample = 0
    var sampleBytes: [UInt8] = []

    init(_ path: String) throws {
        let bytes = try Self.read(path)
        func number(at offset: Int, _ size: Int) -> Int { (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        func name(at offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }
        guard bytes.count >= 80, name(at: 0) == "RIFF", number(at: 4, 4) == bytes.count - 8, name(at: 8) == "WAVE", name(at: 12) == "JUNK" else {
            throw Malformed()
        }
        let format = 20 + number(at: 16, 4)
        let formatSize = number(at: format + 4, 4)
        guard name(at: format) == "fmt " else { throw Malformed() }
        tag = number(at: format + 8, 2)
        channelCount = number(at: format + 10, 2)
        sampleRate = number(at: format + 12, 4)
        bitsPerSample = number(at: format + 22, 2)
        let frame = number(at: format + 20, 2)
        guard frame == channelCount * bitsPerSample / 8, number(at: format + 16, 4) == sampleRate * frame else { throw Malformed() }
        if formatSize == 40 {
            mask = number(at: format + 28, 4)
            extensionTag = number(at: format + 32, 2)
        }
        let data = format + 8 + formatSize
        guard name(at: data) == "data", number(at: data + 4, 4) == bytes.count - data - 8 else { throw Malformed() }
        sampleBytes = Array(bytes[(data + 8)...])
    }

    var int16: [Int16] { sampleBytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } }
    var float32: [Float] { sampleBytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } }

    private static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw Malformed() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}

/// A temporary directory, which is deleted when this object is released.
private final class TemporaryDirectory: Sendable {
    let path: String
    init() {
        var template = Array("/tmp/tonearm-wave-XXXXXX".utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    deinit {
        for name in ["out.wav", "out-2.wav"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
