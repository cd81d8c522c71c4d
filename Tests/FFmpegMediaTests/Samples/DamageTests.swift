import Foundation
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import FFmpegMedia

@Suite("Damage inside files")
struct DamageTests {
    static let signal = DurationTests.signal
    static let kinds = [
        ("wv", ["-c:a", "wavpack"]), ("tta", ["-c:a", "tta"]), ("flac", ["-c:a", "flac"]), ("oga", ["-c:a", "flac"]), ("m4a", ["-c:a", "alac"]),
    ]

    /// Returns the bytes of a file, in which zeros replace bytes in the middle. In a WavPack file they replace the header of a block.
    static func damaged(_ kind: String, _ bytes: [UInt8]) throws -> [UInt8] {
        var changed = bytes
        var middle = bytes.count / 2
        if kind == "wv" {
            let headers = bytes.indices.filter { place in
                bytes[place] == 0x77 && bytes[place...].withUnsafeBytes { WavPackBlock($0.bindMemory(to: UInt8.self)) != nil }
            }
            middle = try #require(headers.first { $0 > middle }) - 3000
        }
        for place in middle..<(middle + 6000) { changed[place] = 0 }
        return changed
    }

    @Test("a hole is silent, counted, and does not move later frames, after reading or a seek", arguments: kinds)
    func holes(_ kind: String, _ arguments: [String]) throws {
        let bytes = try DurationTests.bytes("holes", kind, arguments)
        let whole = try Reading.samples(Reading.open(DurationTests.file("unholed.\(kind)", bytes)))
        let url = try DurationTests.file("holed.\(kind)", DamageTests.damaged(kind, bytes))
        let reader = try Reading.open(url)
        let heard = try Reading.samples(reader)
        #expect(heard.count == whole.count)
        #expect(reader.skippedPackets > 0)
        #expect(reader.duration == .exact(frames: Int64(whole.count / 2), sampleRate: 44_100))
        #expect(heard.prefix(40_000) == whole.prefix(40_000))
        #expect(heard.suffix(10_000) == whole.suffix(10_000))
        #expect(heard != whole)
        let late = Int64(whole.count / 2 - 5000)
        #expect(try reader.seek(to: late, before: 0, after: 0) == late)
        #expect(try Reading.samples(reader) == Array(whole.suffix(10_000)))
    }

    @Test("a TTA file that has lost bytes is not longer than its header states")
    func shortened() throws {
        var bytes = try DurationTests.bytes("holes", "tta", ["-c:a", "tta"])
        bytes.removeSubrange((bytes.count / 2)..<(bytes.count / 2 + 3000))
        let reader = try Reading.open(DurationTests.file("shortened.tta", bytes))
        #expect(try Reading.samples(reader).count == 2 * DamageTests.signal.frameCount)
        #expect(reader.duration == .exact(frames: Int64(DamageTests.signal.frameCount), sampleRate: 44_100))
    }

    @Test("TTA in Matroska is played to its last sample", arguments: [44_100 * 3 + 217, 46_080, 20_000, 311])
    func trueAudio(_ frameCount: Int) throws {
        let signal = TestSignal(frameCount: frameCount)
        let reader = try Reading.open(TestMedia.shared.encoded(signal, as: "true-audio", "mka", ["-c:a", "tta"]))
        let whole = signal.integers(bits: 16).map { Float($0) * 0x1p-15 }
        #expect(try Reading.samples(reader) == whole)
        #expect(reader.skippedPackets == 0 && reader.duration == .exact(frames: Int64(frameCount), sampleRate: 44_100))
        #expect(try reader.seek(to: Int64(frameCount - 100), before: 0, after: 0) == Int64(frameCount - 100))
        #expect(try Reading.samples(reader) == Array(whole.suffix(200)))
    }

    @Test("seeks in FLAC in Matroska are exact even if its cues point after their clusters")
    func wrongCues() throws {
        var bytes = try DurationTests.bytes("cues", "mka", ["-c:a", "flac", "-cluster_time_limit", "400"])
        let whole = try Reading.samples(Reading.open(DurationTests.file("cues.mka", bytes)))
        // The cue points are found by their bytes: the element CueTrack with the value 1, then CueClusterPosition (RFC 9559, section 5.1.5).
        let cues = try #require(bytes.indices.dropLast(4).last { Array(bytes[$0..<$0 + 4]) == [0x1C, 0x53, 0xBB, 0x6B] })
        let places = bytes.indices.dropLast(8).filter { $0 > cues && Array(bytes[$0..<$0 + 4]) == [0xF7, 0x81, 1, 0xF1] }
        try #require(places.count > 4)
        for place in places { bytes[place + 4 + Int(bytes[place + 4] & 0x7F)] |= 7 }
        let reader = try Reading.open(DurationTests.file("wrong-cues.mka", bytes))
        for target in [whole.count / 2 - 100, whole.count / 4, whole.count / 2 - 5000] {
            #expect(try reader.seek(to: Int64(target), before: 0, after: 0) == Int64(target))
            #expect(try Reading.samples(reader) == Array(whole.dropFirst(2 * target)))
        }
    }

    @Test("a WAV file with a wrong block size plays like one with the right size", arguments: [1, 3, 6, 4096])
    func blockSize(_ size: Int) throws {
        var bytes = try [UInt8](Data(contentsOf: TestMedia.shared.wave(DamageTests.signal)))
        bytes[32] = UInt8(size & 0xFF)
        bytes[33] = UInt8(size >> 8)
        let reader = try Reading.open(DurationTests.file("block-size-\(size).wav", bytes))
        let whole = DamageTests.signal.integers(bits: 16).map { Float($0) * 0x1p-15 }
        #expect(try Reading.samples(reader) == whole)
        #expect(reader.duration == .exact(frames: Int64(DamageTests.signal.frameCount), sampleRate: 44_100))
        #expect(try reader.seek(to: 50_001, before: 0, after: 0) == 50_001)
        #expect(try Reading.samples(reader) == Array(whole.dropFirst(2 * 50_001)))
    }

    @Test("no packets are counted as skipped in an undamaged file", arguments: Encoding.all)
    func intact(_ encoding: Encoding) throws {
        let reader = try Reading.open(encoding.file())
        let count = try Reading.samples(reader).count / reader.info.format.channelCount
        for target in [1, count / 3, count / 2, count - 100] {
            _ = try reader.seek(to: Int64(target), before: 0, after: 0)
            _ = try reader.read()
        }
        #expect(reader.skippedPackets == 0)
    }

    @Test("a WavPack file that ends inside a block plays up to there, and the block counts as skipped")
    func insideBlock() throws {
        let bytes = try DurationTests.bytes("holes", "wv", ["-c:a", "wavpack"])
        let reader = try Reading.open(DurationTests.file("inside-block.wv", Array(bytes.prefix(bytes.count * 6 / 10))))
        let heard = try Reading.samples(reader).count / 2
        #expect(heard > DamageTests.signal.frameCount / 3)
        #expect(reader.skippedPackets == 1)
        #expect(reader.duration == .exact(frames: Int64(heard), sampleRate: 44_100))
    }
}
