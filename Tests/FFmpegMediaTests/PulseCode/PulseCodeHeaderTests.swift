import CFFmpeg
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Uncompressed samples, as their headers state them")
struct PulseCodeHeaderTests {
    private static let signal = TestSignal(frameCount: 4_410)

    private func url(_ name: String, _ ending: String, _ bytes: [UInt8]) throws -> URL {
        let name = name.replacingOccurrences(of: "/", with: "-")
        return try TestMedia.shared.file("pulse-code-\(name).\(ending)") { try Data(bytes).write(to: $0) }
    }

    /// Checks that a file has the samples of the signal, its length and its bits, and the same samples after a seek.
    private func check(_ url: URL, bits: Int, statesFrames: Bool = true) throws {
        let scale = Float(sign: .plus, exponent: 1 - bits, significand: 1)
        let expected = PulseCodeHeaderTests.signal.integers(bits: bits).map { Float($0) * scale }
        let reader = try Reading.open(url)
        // W64 and Core Audio need not state a number of frames; then the size of the data is an estimate until they have been read.
        let exact = MediaDuration.exact(frames: 4_410, sampleRate: 44_100)
        #expect(reader.duration == (statesFrames ? exact : .estimated(frames: 4_410, sampleRate: 44_100)))
        #expect(reader.info.bitsPerSample == bits && !reader.info.isFloat)
        let isEqual = try Reading.samples(reader) == expected
        #expect(isEqual && reader.skippedPackets == 0 && reader.duration == exact)
        #expect(try reader.seek(to: 3_000, before: 0, after: 0) == 3_000)
        let isRestEqual = try Reading.samples(reader) == Array(expected.dropFirst(6_000))
        #expect(isRestEqual)
    }

    /// The bits of a sample, and the bytes of its container.
    static let sizes: [(bits: Int, container: Int)] = [(24, 4), (20, 4), (16, 4), (16, 3), (20, 3), (24, 3), (8, 2), (12, 2), (16, 2)]

    @Test(
        "samples are left-justified in their containers (WAVEFORMATEXTENSIBLE; Core Audio Format Specification)",
        arguments: PulseCodeFile.Form.allCases, sizes)
    func containers(_ form: PulseCodeFile.Form, _ size: (bits: Int, container: Int)) throws {
        let file = PulseCodeFile(form: form, bits: size.bits, container: size.container)
        let ending = form == .coreAudio ? "caf" : form == .w64 ? "w64" : "wav"
        let samples = PulseCodeHeaderTests.signal.integers(bits: size.bits)
        try check(url(file.testDescription, ending, file.bytes(samples)), bits: size.bits, statesFrames: form != .w64 && form != .coreAudio)
    }

    @Test("a WAVEFORMATEXTENSIBLE in AVI and ASF has left-justified samples too", arguments: ["avi", "asf"])
    func otherContainers(_ ending: String) throws {
        let signal = PulseCodeHeaderTests.signal
        let encoded = try TestMedia.shared.encoded(signal, bits: 24, as: "wide", ending, ["-c:a", "pcm_s32le"])
        var bytes = try [UInt8](Data(contentsOf: encoded))
        // The part from the size of the extension on: 22 bytes, 32 valid bits, the front speakers.
        let old = PulseCodeFile.little(32, 2) + PulseCodeFile.little(22, 2) + PulseCodeFile.little(32, 2) + PulseCodeFile.little(3, 4)
        let found = bytes.indices.dropLast(old.count).first(where: { bytes[$0] == 32 && bytes[$0..<($0 + old.count)].elementsEqual(old) })
        let place = try #require(found)
        bytes[place + 4] = 24
        let reader = try Reading.open(url("wide", ending, bytes))
        #expect(reader.info.bitsPerSample == 24)
        let isEqual = try Reading.samples(reader) == signal.integers(bits: 24).map { Float($0) * 0x1p-23 }
        #expect(isEqual)
    }

    @Test("a block size that the byte rate does not confirm does not determine the container")
    func wrongBlock() throws {
        let samples = PulseCodeHeaderTests.signal.integers(bits: 16)
        var bytes = PulseCodeFile(form: .plain, bits: 16, container: 2).bytes(samples)
        // The chunk `JUNK` of four bytes precedes the format, so the block size is 12 bytes after byte 32.
        bytes[44] = 8
        try check(url("wrong-block", "wav", bytes), bits: 16)
    }

    /// The number of samples of silence at the start, and the chunks between the format and the samples.
    static let coolEditFiles: [(silent: Int, chunks: [UInt8])] = [
        (0, []), (40_000, []), (0, Array("fact\u{4}\0\0\0\0\0\0\0JUNK\u{3}\0\0\0abc\0".utf8)),
    ]

    @Test("Cool Edit's floats of 24 bits in four bytes are no integers (as FFmpeg reads them)", arguments: coolEditFiles)
    func coolEdit(_ file: (silent: Int, chunks: [UInt8])) throws {
        let samples = [Int32](repeating: 0, count: file.silent) + PulseCodeHeaderTests.signal.integers(bits: 24)
        let sound = samples.flatMap { PulseCodeFile.little(Int(Float($0).bitPattern), 4) }
        var bytes = PulseCodeFile(form: .plain, bits: 24, container: 4).bytes(sound: sound)
        // The head of the file, the chunk `JUNK` and the format have 48 bytes.
        bytes.insert(contentsOf: file.chunks, at: 48)
        // What follows the samples is no sample.
        bytes += Array("JUNK".utf8) + [8, 0, 0, 0] + [UInt8](repeating: 0x7F, count: 8)
        let reader = try Reading.open(url("cool-edit-\(file.silent)-\(file.chunks.count)", "wav", bytes))
        let isEqual = try Reading.samples(reader) == samples.map { Float($0) * 0x1p-23 }
        #expect(isEqual && reader.info.isFloat)
    }

    @Test("integers of 24 bits in four bytes are recognised after silence, however long it is", arguments: [40_000, 1_100_000])
    func lateIntegers(_ silence: Int) throws {
        let samples = [Int32](repeating: 0, count: silence) + PulseCodeHeaderTests.signal.integers(bits: 24)
        let reader = try Reading.open(url("late-integers-\(silence)", "wav", PulseCodeFile(form: .plain, bits: 24, container: 4).bytes(samples)))
        let isEqual = try Reading.samples(reader) == samples.map { Float($0) * 0x1p-23 }
        #expect(isEqual && reader.info.bitsPerSample == 24)
    }

    @Test("integers of 24 bits in four bytes are recognised if an interrupted recorder has left a size of 0")
    func unfinished() throws {
        let samples = PulseCodeHeaderTests.signal.integers(bits: 24)
        var bytes = PulseCodeFile(form: .plain, bits: 24, container: 4).bytes(samples)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "data".utf8) })
        bytes.replaceSubrange((place + 4)..<(place + 8), with: [0, 0, 0, 0])
        let reader = try Reading.open(url("unfinished", "wav", bytes))
        let isEqual = try Reading.samples(reader) == samples.map { Float($0) * 0x1p-23 }
        #expect(isEqual && reader.info.bitsPerSample == 24)
    }

    @Test("RIFX of floats is read in its order (sox)", arguments: [4, 8])
    func bigFloats(_ container: Int) throws {
        let samples = PulseCodeHeaderTests.signal.integers(bits: 24).map { Float($0) * 0x1p-23 }
        let sound = samples.flatMap { sample -> [UInt8] in
            container == 4 ? PulseCodeFile.big(Int(sample.bitPattern), 4) : PulseCodeFile.big(Int(bitPattern: UInt(Double(sample).bitPattern)), 8)
        }
        let file = PulseCodeFile(form: .bigPlain, bits: 8 * container, container: container, tag: 3)
        let reader = try Reading.open(url("big-floats-\(container)", "wav", file.bytes(sound: sound)))
        let isEqual = try Reading.samples(reader) == samples
        #expect(isEqual && reader.info.isFloat && reader.duration == .exact(frames: 4_410, sampleRate: 44_100))
    }

    @Test("RIFX of bytes and of 32-bit integers is read (sox)")
    func bigIntegers() throws {
        let bytes = PulseCodeHeaderTests.signal.integers(bits: 8).map { UInt8(truncatingIfNeeded: $0 + 128) }
        try check(url("big-8", "wav", PulseCodeFile(form: .bigPlain, bits: 8, container: 1).bytes(sound: bytes)), bits: 8)
        let samples = PulseCodeHeaderTests.signal.integers(bits: 32)
        let file = PulseCodeFile(form: .bigExtensible, bits: 32, container: 4)
        let reader = try Reading.open(url("big-32", "wav", file.bytes(samples)))
        let isEqual = try Reading.samples(reader) == samples.map { Float($0) * 0x1p-31 }
        #expect(isEqual && reader.info.bitsPerSample == 32)
    }

    @Test("a RIFX file of another codec is refused by name", arguments: [(0x11, 20), (0x02, 32), (0x55, 30)])
    func bigOthers(_ tag: Int, _ size: Int) throws {
        var bytes = PulseCodeFile(form: .bigPlain, bits: 4, container: 1, tag: tag).bytes(sound: [UInt8](repeating: 0x55, count: 8_192))
        // The format of these codecs is longer than those of PCM, by fields of their own.
        bytes.insert(contentsOf: [UInt8](repeating: 0, count: size - 18), at: 32 + 18)
        bytes[31] = UInt8(size)
        let failure = Reading.failure(MediaSource(.file(path: try url("big-\(tag)", "wav", bytes).path)))
        #expect(failure?.code == .unsupportedFormat, "\(String(describing: failure))")
    }

    /// The types of AIFF-C, with the bits of a sample and the bytes of its container.
    static let types: [(String, Int, Int, Bool)] = [
        ("NONE", 12, 2, true), ("NONE", 20, 3, true), ("twos", 24, 3, true), ("sowt", 8, 1, false), ("sowt", 12, 2, false), ("sowt", 16, 2, false),
        ("sowt", 20, 3, false), ("sowt", 24, 3, false), ("42ni", 24, 3, false), ("42ni", 16, 3, false), ("23ni", 24, 4, false),
        ("in24", 16, 3, true), ("in32", 24, 4, true), ("in32", 20, 4, true),
    ]

    @Test("AIFF-C is read in the order and the container of its type (sox; libsndfile's names of types)", arguments: types)
    func byType(_ type: String, _ bits: Int, _ container: Int, _ isBig: Bool) throws {
        let samples = PulseCodeHeaderTests.signal.integers(bits: bits)
        let bytes = PulseCodeFile.aiff(type, bits: bits, container: container, isBig: isBig, frames: 4_410, samples)
        try check(url("\(type)-\(bits)", "aiff", bytes), bits: bits)
    }

    @Test("AIFF has the frames of its sound, whatever its common chunk states (sox)", arguments: [0, 1_000, 4_409, 4_420, 1_000_000])
    func frames(_ stated: Int) throws {
        let samples = PulseCodeHeaderTests.signal.integers(bits: 16)
        let bytes = PulseCodeFile.aiff("NONE", bits: 16, container: 2, isBig: true, frames: stated, samples)
        try check(url("frames-\(stated)", "aiff", bytes), bits: 16)
    }

    static let otherTypes: [(name: String, container: Int)] = [("ulaw", 1), ("alaw", 1), ("fl32", 4)]

    @Test("AIFF-C of other types has the frames of its sound too", arguments: otherTypes, [100, 5_000])
    func otherFrames(_ type: (name: String, container: Int), _ stated: Int) throws {
        let samples = PulseCodeHeaderTests.signal.integers(bits: 8)
        let bytes = PulseCodeFile.aiff(type.name, bits: 8, container: type.container, isBig: true, frames: stated, samples)
        let reader = try Reading.open(url("\(type.name)-\(stated)", "aiff", bytes))
        #expect(reader.duration == .exact(frames: 4_410, sampleRate: 44_100))
        #expect(try Reading.samples(reader).count == 8_820)
    }

    @Test("a header of impossible numbers is read or refused", arguments: PulseCodeFile.Form.allCases)
    func impossible(_ form: PulseCodeFile.Form) throws {
        let whole = PulseCodeFile(form: form, bits: 24, container: 4).bytes(PulseCodeHeaderTests.signal.integers(bits: 24))
        for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
            for (number, start) in stride(from: 4, to: 120, by: 4).enumerated() {
                var bytes = whole
                for place in start..<(start + 8) { bytes[place] = value }
                let url = try url("impossible-\(form)-\(value)-\(number)", "wav", Array(bytes.prefix(2_000)))
                do throws(PlaybackError) {
                    _ = try Reading.open(url).read()
                } catch {
                    #expect(error.code != .unknown, "\(error)")
                }
            }
        }
    }
}
