import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Remuxed media with rounded timestamps")
struct RemuxTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let codec: [String]
        let from: String
        let to: String
        let options: [String]
        var isLossless = false
        var rate = 44_100
    }
    static let kinds = [
        Kind(testDescription: "ALAC, Matroska to MP4", codec: ["alac"], from: "mkv", to: "m4a", options: [], isLossless: true),
        Kind(testDescription: "FLAC, Matroska to MP4", codec: ["flac"], from: "mkv", to: "mp4", options: ["-strict", "-2"], isLossless: true),
        Kind(testDescription: "AAC, Matroska to MP4", codec: ["aac", "-aac_pns", "0"], from: "mkv", to: "m4a", options: []),
        Kind(testDescription: "AAC, FLV to MP4", codec: ["aac", "-aac_pns", "0"], from: "flv", to: "mp4", options: []),
        Kind(testDescription: "AAC, MPEG-TS to MP4", codec: ["aac", "-aac_pns", "0"], from: "ts", to: "m4a", options: ["-bsf:a", "aac_adtstoasc"]),
        Kind(testDescription: "MP3, Matroska to MP4", codec: ["libmp3lame"], from: "mkv", to: "mp4", options: []),
        Kind(
            testDescription: "AAC, Matroska to MP4 in fragments", codec: ["aac", "-aac_pns", "0"], from: "mkv", to: "mp4",
            options: ["-movflags", "frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "1000000"]),
        Kind(testDescription: "Vorbis, Matroska to Ogg", codec: ["libvorbis"], from: "mkv", to: "ogg", options: []),
    ]

    /// Makes two files: an original, and a copy of its packets in another container.
    static func files(_ kind: Kind) throws -> (URL, URL) {
        let from = try TestMedia.shared.encoded(
            TestSignal(sampleRate: kind.rate, frameCount: kind.rate * 8), as: "remuxed \(kind.testDescription)", kind.from, ["-c:a"] + kind.codec)
        let to = try TestMedia.shared.file("remux \(kind.testDescription).\(kind.to)") { url in
            try TestMedia.ffmpeg(["-i", from.path, "-c", "copy"] + kind.options + [url.path])
        }
        return (from, to)
    }

    @Test("a copied stream has no added or lost sample between packets", arguments: kinds)
    func isContiguous(_ kind: Kind) throws {
        let (from, to) = try RemuxTests.files(kind)
        let expected = try Reading.samples(Reading.open(from)).channel(0, of: 2), heard = try Reading.samples(Reading.open(to)).channel(0, of: 2)
        // The other container rounds the start of the audio too. So the offset between the two files is measured in the middle.
        let middle = 100_000, reach = 2_500
        let offset = try #require((-reach...reach).first { heard[middle..<(middle + 2_000)] == expected[(middle + $0)..<(middle + $0 + 2_000)] })
        let first = max(0, -offset), last = min(heard.count, expected.count - offset)
        #expect(last - first > kind.rate * 8 - 3_000)
        let different = (first..<last).filter { abs(heard[$0] - expected[$0 + offset]) > (kind.isLossless ? 0 : 0x1p-15) }
        // The two containers may trim the encoder's padding at the start and the end differently.
        #expect(different.allSatisfy { $0 < first + 2_500 || $0 >= last - 2_500 }, "\(different.count) from \(different.first ?? 0) on")
    }

    @Test("a seek gives the same samples (R-SEEK-01)", arguments: kinds)
    func seeks(_ kind: Kind) throws {
        try SeekTests.check(RemuxTests.files(kind).1, kind.isLossless ? .lossless : .repeatable, count: SeekTests.few)
    }
}
