import Glibc
import Testing

@testable import PlaybackEngine

@Suite("WAV files and streams with known end")
struct WaveWriterTests {
    private let folder = Folder()
    private var path: String { "\(folder.path)/out.wav" }

    private func write(_ samples: [Float], _ encoding: WaveEncoding, _ format: AudioFormat = .compactDisc, finishes: Bool = true) throws {
        let writer = try WaveWriter(to: .file(path: path), format: format, encoding: encoding)
        try samples.withUnsafeBufferPointer { try writer.append($0) }
        if finishes { try writer.finish() }
    }

    /// The names of the files in the temporary folder.
    private var names: [String] { folder.names }
    private func contents() throws -> [UInt8] { try folder.bytes("out.wav") }
    private func number(_ bytes: [UInt8], at offset: Int, _ size: Int) -> Int { (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    private func name(_ bytes: [UInt8], at offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }

    @Test("the file appears under its name only when it is complete, and no other file remains")
    func atomic() throws {
        let writer = try WaveWriter(to: .file(path: path), format: .compactDisc, encoding: .int16)
        try [Float](repeating: 0.5, count: 8).withUnsafeBufferPointer { try writer.append($0) }
        #expect(!names.contains("out.wav"))
        try writer.finish()
        #expect(names == ["out.wav"])
        let bytes = try contents()
        #expect(name(bytes, at: 0) == "RIFF")
        #expect(number(bytes, at: 4, 4) == bytes.count - 8)
        #expect(name(bytes, at: 12) == "JUNK")
        #expect(bytes.suffix(16) == [UInt8](repeating: 0, count: 16).enumerated().map { $0.offset % 2 == 0 ? 0 : 0x40 }[...])
    }

    @Test("an abandoned file is removed, and an existing one is unchanged")
    func abandoned() throws {
        try folder.write("out.wav", Array("RIFF....WAVE".utf8))
        try write([0.5, 0.5], .int16, finishes: false)
        #expect(names == ["out.wav"])
        #expect(try contents() == Array("RIFF....WAVE".utf8))
    }

    @Test("a complete file replaces an existing one")
    func replaces() throws {
        try folder.write("out.wav", Array("RIFF....WAVE".utf8))
        try write([0.5, 0.5], .int16)
        #expect(names == ["out.wav"])
        #expect(try contents().count == 44 + 36 + 4)
    }

    @Test("if the path is a link, its target is replaced and the link remains")
    func links() throws {
        try folder.write("real.wav", Array("RIFF....WAVE".utf8))
        symlink("real.wav", path)
        try write([0.5, 0.5], .int16)
        var status = stat()
        lstat(path, &status)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        #expect(try folder.bytes("real.wav").count > 44)
    }

    @Test("an odd number of data bytes is padded by one byte that the chunk's size excludes")
    func padding() throws {
        try write([0.5, 0.5, 0.5], .int24, AudioFormat(sampleRate: 8000, channelLayout: .mono))
        let bytes = try contents()
        #expect(bytes.count % 2 == 0)
        #expect(number(bytes, at: 4, 4) == bytes.count - 8)
        #expect(number(bytes, at: bytes.count - 10 - 4, 4) == 9)
    }

    @Test("a file that is not a WAV file is not overwritten", arguments: ["fLaC1234567890", "RIFF\u{10}\0\0\0AVI LIST", "RIFF"])
    func foreign(_ text: String) throws {
        try folder.write("song.flac", Array(text.utf8))
        for make in [
            { _ = try WaveWriter(to: .file(path: "\(folder.path)/song.flac"), format: .compactDisc, encoding: .int16) },
            { try WaveRecorder(path: "\(folder.path)/song.flac", encoding: .int16).begin(.compactDisc) },
        ] as [() throws -> Void] {
            #expect { try make() } throws: { error in (error as? PlaybackError)?.code == .outputUnavailable }
        }
        #expect(try folder.bytes("song.flac") == Array(text.utf8))
        #expect(names == ["song.flac"])
    }

    @Test("a folder and a path in a missing folder are refused at once")
    func refused() {
        for target in [folder.path, "\(folder.path)/missing/out.wav"] {
            #expect { try WaveWriter(to: .file(path: target), format: .compactDisc, encoding: .int16) } throws: { error in
                (error as? PlaybackError)?.code == .outputUnavailable
            }
        }
    }

    @Test("a full device gives an error with errno")
    func full() throws {
        #expect { try WaveWriter(to: .file(path: "/dev/full"), format: .compactDisc, encoding: .int16) } throws: { error in
            (error as? PlaybackError)?.underlying?.code == Int(ENOSPC)
        }
    }

    @Test("a stream's header has the maximum sizes, and its descriptor stays open")
    func stream() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let writer = try WaveWriter(to: .stream(descriptor: ends[1]), format: .compactDisc, encoding: .int16)
        try [Float(0.5), -0.5].withUnsafeBufferPointer { try writer.append($0) }
        try writer.finish()
        #expect(Glibc.write(ends[1], "x", 1) == 1)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(ends[0], &bytes, 100) == 49)
        #expect(number(bytes, at: 4, 4) == 0xFFFF_FFFF)
        #expect(number(bytes, at: 40, 4) == 0xFFFF_FFFF)
        #expect(bytes[44..<49] == [0, 0x40, 0, 0xC0, UInt8(ascii: "x")])
    }

    @Test("a header with reserved space is RIFF up to 4 GB; beyond that it is RF64 with the true sizes in that space")
    func long() {
        let header = WaveHeader(format: .compactDisc, encoding: .int16)
        let short = header.bytes(.known(4_294_967_200))
        let long = header.bytes(.known(4_294_967_296 * 3))
        #expect(short.count == long.count)
        #expect(name(short, at: 0) == "RIFF" && name(short, at: 12) == "JUNK")
        #expect(number(short, at: short.count - 4, 4) == 4_294_967_200)
        #expect(name(long, at: 0) == "RF64" && name(long, at: 12) == "ds64")
        #expect(number(long, at: 4, 4) == 0xFFFF_FFFF && number(long, at: long.count - 4, 4) == 0xFFFF_FFFF)
        #expect(number(long, at: 20, 8) == 4_294_967_296 * 3 + long.count - 8)
        #expect(number(long, at: 28, 8) == 4_294_967_296 * 3)
        #expect(number(long, at: 36, 8) == 4_294_967_296 * 3 / 4)
    }

    @Test("every integer sample of 16 and 24 bits is written exactly", arguments: [(WaveEncoding.int16, 16), (.int24, 24), (.int32, 24)])
    func exact(encoding: WaveEncoding, bits: Int) {
        let full = Float(1 << (bits - 1)), limit = 1 << (bits - 1)
        let step = bits == 16 ? 1 : 4099
        let values = Array(stride(from: -limit, to: limit, by: step)) + [limit - 1]
        let bytes = values.map { Float($0) / full }.withUnsafeBufferPointer { encoding.bytes(of: $0) }
        let size = encoding.bytesPerSample, shift = 64 - size * 8
        let found = stride(from: 0, to: bytes.count, by: size).map { (number(bytes, at: $0, size) << shift) >> shift }
        #expect(found == values.map { $0 << (size * 8 - bits) })
    }

    @Test(
        "samples outside the range are clipped and NaN becomes silence, for every width",
        arguments: [(WaveEncoding.int16, 16), (.int24, 24), (.int32, 32)])
    func limits(encoding: WaveEncoding, bits: Int) {
        let top = Int32(truncatingIfNeeded: (1 << (bits - 1)) - 1), bottom = -top - 1
        let found = [2, 1, -1, -2, .infinity, -.infinity, .nan, -0.0].map { WaveEncoding.integer($0, bits: bits) }
        #expect(found == [top, top, bottom, bottom, top, bottom, 0, 0])
    }
}

/// A temporary folder, which is deleted when this object is released.
private final class Folder: Sendable {
    let path: String
    init() {
        var template = Array("/tmp/tonearm-writer-XXXXXX".utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            if name != ".", name != ".." { found.append(name) }
        }
        return found.sorted()
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        defer { close(descriptor) }
        try FileDescriptor.write(bytes, to: descriptor)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        let descriptor = open("\(path)/\(name)", O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }
}
