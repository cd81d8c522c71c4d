import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Missing packets in containers with coarse timestamps")
struct MissingPacketTests {
    /// A codec in a container. The timestamps of these containers do not count samples, but larger units such as milliseconds.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fileExtension: String
        let arguments: [String]
        var rate = 44_100

        init(_ codec: String, _ fileExtension: String, _ arguments: [String] = [], rate: Int = 44_100) {
            testDescription = "\(codec) in \(fileExtension)"
            self.fileExtension = fileExtension
            self.arguments = ["-c:a", codec, "-b:a", "160k"] + arguments
            self.rate = rate
        }
    }
    static let kinds = [
        Kind("libopus", "webm", rate: 48_000), Kind("libvorbis", "webm"), Kind("aac", "mkv", ["-aac_pns", "0"]), Kind("libmp3lame", "mkv"),
        Kind("aac", "ts", ["-aac_pns", "0"]), Kind("libmp3lame", "ts"), Kind("aac", "flv", ["-aac_pns", "0"]), Kind("wmav2", "wma"),
        Kind("alac", "mka"), Kind("wavpack", "mka"), Kind("pcm_s16le", "mka"),
    ]
    static let frames = 44_100 * 8

    static func intact(_ kind: Kind) throws -> URL {
        try TestMedia.shared.encoded(
            TestSignal(sampleRate: kind.rate, frameCount: frames), as: "whole \(kind.testDescription)", kind.fileExtension, kind.arguments)
    }

    /// Makes a file from the packets of the intact file, changed by one of FFmpeg's bit stream filters.
    static func filtered(_ kind: Kind, _ name: String, _ filter: String) throws -> URL {
        let whole = try intact(kind)
        return try TestMedia.shared.file("\(name) \(kind.testDescription).\(kind.fileExtension)") { url in
            try TestMedia.ffmpeg(["-i", whole.path, "-c", "copy", "-bsf:a", filter, url.path])
        }
    }

    /// Makes a file without the packets that begin between second 2 and second 3.5. How much audio is missing depends on the packets' durations.
    static func gapped(_ kind: Kind) throws -> URL {
        try filtered(kind, "gap", "noise=drop=between(pts*tb\\,2\\,3.5)")
    }

    @Test("missing packets are replaced by silence, and later frames keep their positions", arguments: kinds)
    func place(_ kind: Kind) throws {
        let whole = try Reading.samples(Reading.open(MissingPacketTests.intact(kind)))
        let reader = try Reading.open(MissingPacketTests.gapped(kind))
        let heard = try Reading.samples(reader)
        try #require(heard.count == whole.count)
        #expect(reader.duration == .exact(frames: Int64(whole.count / 2), sampleRate: kind.rate))
        // All samples that differ from the intact file are within less than three seconds. Before and after them nothing changes.
        let different = try #require(SampleComparison.differences(heard, whole, above: 0x1p-15))
        let first = different.lowerBound / 2, last = different.upperBound / 2
        #expect(first > kind.rate && last - first < kind.rate * 3 && last < MissingPacketTests.frames - 20_000)
        #expect(SampleComparison.longestSilence(heard) > 2 * kind.rate)
        #expect(reader.skippedPackets == 0)
    }

    @Test("a seek in it equals uninterrupted reading (R-SEEK-01)", arguments: kinds)
    func seeks(_ kind: Kind) throws {
        try SeekTests.check(MissingPacketTests.gapped(kind), .repeatable, count: SeekTests.few)
    }

    @Test("packets damaged beyond recognition are counted", arguments: kinds)
    func damaged(_ kind: Kind) throws {
        let intact = try MissingPacketTests.intact(kind)
        let url = try TestMedia.shared.file("zeroed \(kind.testDescription).\(kind.fileExtension)") { url in
            var bytes = try [UInt8](Data(contentsOf: intact))
            // The zeros are in the first cluster of Matroska, so that FFmpeg can continue at a later cluster.
            bytes.replaceSubrange((bytes.count / 4)..<(bytes.count / 4 + 16_000), with: [UInt8](repeating: 0, count: 16_000))
            try Data(bytes).write(to: url)
        }
        let whole = try Reading.samples(Reading.open(intact))
        let reader = try Reading.open(url)
        let heard = try Reading.samples(reader)
        try #require(heard.count == whole.count)
        let end = whole.count - kind.rate
        #expect(SampleComparison.difference(Array(heard[end...]), whole, from: end) <= 0x1p-15)
        #expect(reader.skippedPackets > 0)
    }

    @Test(
        "timestamps that are late for a short time or jump too far leave no gap",
        arguments: [
            // First filter: packet 100 (at 2 s) is late by 0.2 s, and the packets after it follow quickly. Second filter: from packet 100 on, all
            // timestamps are 100 s too late.
            #"setts=ts=if(gte(N\,100)\,max(TS\,(2.2+(N-100)*0.002)/TB)\,TS)"#, #"setts=ts=if(gte(N\,100)\,TS+100/TB\,TS)"#,
        ], ["webm", "flv"])
    func trembling(_ filter: String, _ fileExtension: String) throws {
        let kind = try #require(MissingPacketTests.kinds.first { $0.fileExtension == fileExtension })
        let name = filter.contains("max") ? "late" : "jumped"
        #expect(
            try Reading.samples(Reading.open(MissingPacketTests.filtered(kind, name, filter)))
                == Reading.samples(Reading.open(MissingPacketTests.intact(kind))))
    }
}
