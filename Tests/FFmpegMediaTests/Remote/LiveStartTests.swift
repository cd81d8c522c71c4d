import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("The start of a live stream")
struct LiveStartTests {
    /// The bytes of a station, which sends them in real time: at most 1000 with each read. Reading beyond the last byte fails.
    private final class Station: ByteSource {
        private let bytes: [UInt8]
        private(set) var offset: Int64 = 0
        /// Whether the server says that the stream is live. Otherwise it only states no length.
        let isLive: Bool
        init(_ bytes: [UInt8], isLive: Bool) { (self.bytes, self.isLive) = (bytes, isLive) }

        var length: Int64? { nil }
        var isRemote: Bool { true }
        var isSeekable: Bool { false }
        func seek(to offset: Int64) throws(PlaybackError) {
            guard offset == self.offset else { throw PlaybackError(.notSeekable, "A station does not seek.") }
        }
        func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
            let count = min(buffer.count, 1000, bytes.count - Int(offset))
            guard count > 0 else { throw PlaybackError(.network, "The rest of the stream has not been sent.") }
            buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
            offset += Int64(count)
            return count
        }
    }

    struct Stream: CustomTestStringConvertible {
        var name: String
        var fileExtension: String
        var arguments: [String]
        /// The largest part of the stream that is received before the first block of audio, in seconds.
        var limit = 0.5
        var testDescription: String { name }
    }

    private static let aac = ["-c:a", "aac", "-b:a", "128k"], opus = ["-c:a", "libopus", "-b:a", "128k"]
    /// A page of Ogg has a second of audio. FFmpeg reads ten frames of FLAC before the first one, and waits 2 s for further streams of FLV.
    static let streams = [
        Stream(name: "mp3", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0"]),
        Stream(name: "aac", fileExtension: "aac", arguments: aac),
        Stream(name: "latm", fileExtension: "loas", arguments: aac + ["-f", "latm"]),
        Stream(name: "aac-ts", fileExtension: "ts", arguments: aac),
        Stream(name: "mp2-ts", fileExtension: "ts", arguments: ["-c:a", "mp2", "-b:a", "128k"]),
        Stream(name: "aac-flv", fileExtension: "flv", arguments: aac, limit: 2.5),
        Stream(name: "aac-mp4", fileExtension: "mp4", arguments: aac + ["-movflags", "empty_moov+frag_keyframe", "-frag_duration", "250000"]),
        Stream(name: "vorbis", fileExtension: "ogg", arguments: ["-c:a", "libvorbis", "-b:a", "128k"], limit: 1.5),
        Stream(name: "opus", fileExtension: "opus", arguments: opus, limit: 1.5),
        Stream(name: "opus-webm", fileExtension: "webm", arguments: opus + ["-live", "1"]),
        Stream(name: "flac", fileExtension: "flac", arguments: ["-c:a", "flac"], limit: 1.5),
        Stream(name: "flac-ogg", fileExtension: "oga", arguments: ["-c:a", "flac"], limit: 1.5),
        Stream(name: "flac-matroska", fileExtension: "mka", arguments: ["-c:a", "flac", "-live", "1"]),
        Stream(name: "ac3", fileExtension: "ac3", arguments: ["-c:a", "ac3", "-b:a", "192k"]),
        Stream(name: "wma", fileExtension: "wma", arguments: ["-c:a", "wmav2", "-b:a", "128k"]),
        Stream(name: "wav", fileExtension: "wav", arguments: ["-c:a", "pcm_s16le"]),
        Stream(name: "wav-24-bit", fileExtension: "wav", arguments: ["-c:a", "pcm_s24le"]),
        Stream(name: "w64", fileExtension: "w64", arguments: ["-c:a", "pcm_s16le"]),
        Stream(name: "au", fileExtension: "au", arguments: ["-c:a", "pcm_s16be"]),
    ]

    @Test("the first audio of a live stream is delivered after its first bytes, in any format (R-LIVE-02)", arguments: streams, [true, false])
    func start(_ stream: Stream, _ isLive: Bool) throws {
        let seconds = 12, signal = TestSignal(frameCount: 44_100 * seconds)
        let bytes = try [UInt8](Data(contentsOf: TestMedia.shared.encoded(signal, as: "live-\(stream.name)", stream.fileExtension, stream.arguments)))
        let station = Station(bytes, isLive: isLive)
        let reader = try FFmpegOpener().open(station, MediaSource(.remote(url: "http://station.example/")), interrupt: Interrupt())
        let block = try #require(try reader.read())
        #expect(block.frameCount > 0)
        let received = Double(station.offset) / Double(bytes.count) * Double(seconds)
        #expect(received < stream.limit)
    }
}
