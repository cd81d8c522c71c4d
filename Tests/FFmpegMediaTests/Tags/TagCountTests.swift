import CFFmpeg
import CFFmpegLimits
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Limits of FFmpeg's tags and chapters")
struct TagCountTests {
    private static let sound = TestSignal(frameCount: 4410)

    /// Makes a medium with the tags and chapters of an ffmetadata file, whose text is `metadata`.
    private static func media(_ ending: String, _ options: [String], name: String, _ metadata: String) throws -> URL {
        let sound = try TestMedia.shared.encoded(Self.sound, as: "counted", "wav", ["-c:a", "pcm_s16le"])
        let text = try TestMedia.shared.file("\(name).txt") { try Data((";FFMETADATA1\n" + metadata).utf8).write(to: $0) }
        return try TestMedia.shared.file("\(name).\(ending)") {
            try TestMedia.ffmpeg(
                ["-i", sound.path, "-f", "ffmetadata", "-i", text.path, "-map", "0:a", "-map_metadata", "1", "-map_chapters", "1"] + options + [
                    $0.path
                ])
        }
    }

    /// Opens a medium. Returns the numbers of tags that FFmpeg then has of the container and of the stream.
    private static func counts(_ url: URL) throws -> (container: Int, stream: Int) {
        let demuxer = try Demuxer(FileSource(path: FilePath(url.path)), interrupt: Interrupt())
        return (Int(av_dict_count(demuxer.context.pointee.metadata)), Int(av_dict_count(demuxer.stream.pointee.metadata)))
    }

    static let containers: [(String, [String])] = [
        ("flac", []), ("ogg", ["-c:a", "libvorbis"]), ("opus", ["-c:a", "libopus"]), ("oga", ["-c:a", "flac"]), ("mka", []), ("wv", []), ("wma", []),
        ("mp3", []), ("m4a", ["-movflags", "use_metadata_tags"]), ("nut", ["-c:a", "flac"]), ("flv", ["-c:a", "mp3"]),
        ("aiff", ["-write_id3v2", "1"]), ("tta", []),
    ]

    @Test("of 5,000 tags a medium keeps at most 1,024, including its title", arguments: containers)
    func count(_ ending: String, _ options: [String]) throws {
        let tags = "title=Title\n" + (0..<5000).map { "key\($0)=value\n" }.joined()
        let url = try Self.media(ending, options, name: "counted-\(ending)", tags)
        let found = try Self.counts(url)
        #expect(found.container <= 1024 && found.stream <= 1024)
        // In a TTA file ffmpeg writes the tags at the end, where FFmpeg's demuxer does not find them. So its tags are not compared.
        guard ending != "tta" else { return }
        #expect(max(found.container, found.stream) > 500)
        #expect(try Reading.open(url).info.metadata.contains(MetadataEntry(key: "title", value: "Title")))
    }

    // MARK: FLAC headers

    private static func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// Makes a FLAC file with these comments, and without a playable frame.
    private static func flac(_ name: String, _ comments: [[UInt8]]) throws -> URL {
        let numbers: [UInt8] = [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0A, 0xC4, 0x42, 0xF0]
        let header = numbers + [UInt8](repeating: 0, count: 34 - numbers.count)
        var block = little(0) + little(comments.count)
        for comment in comments { block += little(comment.count) + comment }
        var bytes = Array("fLaC".utf8) + [0, 0, 0, 34] + header
        bytes += [0x84] + Array(little(block.count).prefix(3).reversed())
        bytes += block + [UInt8](repeating: 0, count: 1000)
        return try BadInputTests.file(name, bytes)
    }

    @Test("with long keys that differ only at their ends fewer tags are kept, because compared bytes are limited")
    func keys() throws {
        let key = [UInt8](repeating: 0x61, count: 10_000)
        let url = try Self.flac("counted-keys.flac", (0..<1000).map { key + Array("\($0)=v".utf8) })
        let count = try Self.counts(url).container
        #expect(count >= Int(CFFmpegLimits_freeTags) && count < 300)
    }

    @Test("a repeated tag is concatenated only up to a limit of copied bytes")
    func appended() throws {
        let url = try Self.flac("counted-appended.flac", (0..<3000).map { _ in Array("key=".utf8) + [UInt8](repeating: 0x61, count: 3000) })
        let demuxer = try Demuxer(FileSource(path: FilePath(url.path)), interrupt: Interrupt())
        let value = av_dict_get(demuxer.context.pointee.metadata, "key", nil, 0)?.pointee.value
        // The value may be cut, or removed completely because it has grown too long.
        #expect(value.map { strlen($0) } ?? 0 < 2 << 20)
    }

    @Test("the first tags are kept whatever the cost of the others")
    func first() throws {
        let few = (0..<10).map { Array("first\($0)=v".utf8) }, key = [UInt8](repeating: 0x61, count: 10_000)
        let url = try Self.flac("counted-first.flac", few + (0..<1000).map { key + Array("\($0)=v".utf8) })
        let demuxer = try Demuxer(FileSource(path: FilePath(url.path)), interrupt: Interrupt())
        for number in 0..<10 { #expect(av_dict_get(demuxer.context.pointee.metadata, "first\(number)", nil, 0) != nil) }
    }

    // MARK: Chapters

    @Test("a medium with more than 16,384 chapters is refused, and one with 8,193 keeps the first 8,192")
    func chapters() throws {
        for (count, kept) in [(8193, 8192), (16_385, nil)] as [(Int, Int?)] {
            let text = (0..<count).map { "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0)\nEND=\($0 + 1)\n" }.joined()
            let url = try Self.media("nut", ["-c:a", "flac"], name: "counted-chapters-\(count)", text)
            if let kept {
                #expect(try Reading.open(url).info.chapters.count == kept)
            } else {
                #expect(throws: PlaybackError.tooManyChapters) { try Reading.open(url) }
            }
        }
    }

    // MARK: Other dictionaries

    @Test("a dictionary of another part of the process has no limit")
    func elsewhere() {
        var dictionary: OpaquePointer?
        defer { av_dict_free(&dictionary) }
        for number in 0..<2000 { av_dict_set(&dictionary, "key\(number)", "value", 0) }
        #expect(av_dict_count(dictionary) == 2000)
    }

    @Test("a copy of a dictionary has all entries, unless the limits apply to it")
    func copied() {
        var first: OpaquePointer?, second: OpaquePointer?
        defer {
            av_dict_free(&first)
            av_dict_free(&second)
        }
        for number in 0..<2000 { av_dict_set(&first, "key\(number)", "value", 0) }
        av_dict_copy(&second, first, 0)
        #expect(av_dict_count(second) == 2000)
        CFFmpegLimits_begin()
        defer { CFFmpegLimits_end() }
        var third: OpaquePointer?
        defer { av_dict_free(&third) }
        av_dict_copy(&third, first, 0)
        #expect(av_dict_count(third) == CFFmpegLimits_tags)
    }
}
