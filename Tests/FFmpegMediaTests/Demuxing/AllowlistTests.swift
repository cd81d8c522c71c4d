import CFFmpeg
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Permitted demuxers and decoders")
struct AllowlistTests {
    @Test(
        "emulator scores, tracker modules and playlists are refused, although FFmpeg supports them",
        arguments: [
            ("nsf", Array("NESM\u{1A}\u{1}\u{1}\u{1}".utf8) + [0x00, 0x80, 0x00, 0x80, 0x03, 0x80]),
            ("mod", [UInt8](repeating: 0, count: 1080) + Array("M.K.".utf8)),
            ("m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n".utf8)),
        ] as [(String, [UInt8])])
    func refused(_ ending: String, _ start: [UInt8]) throws {
        let url = try BadInputTests.file("not-allowed.\(ending)", start + [UInt8](repeating: 0, count: 8192))
        #expect(BadInputTests.failure(url.path)?.code == .unsupportedFormat)
    }

    @Test("no decoder of another library and no picture decoder is permitted")
    func decoders() {
        var state: UnsafeMutableRawPointer?, count = 0
        while let codec = av_codec_iterate(&state) {
            guard av_codec_is_decoder(codec) != 0, DecoderPolicy.allows(codec) else { continue }
            count += 1
            let name = String(cString: codec.pointee.name)
            #expect(codec.pointee.type == AVMEDIA_TYPE_AUDIO, "\(name)")
            #expect(codec.pointee.wrapper_name == nil, "\(name)")
        }
        #expect(count > 100)
    }

    @Test("no demuxer of another library is permitted, and every name in the list is one of FFmpeg's")
    func demuxers() throws {
        var state: UnsafeMutableRawPointer?, names: Set<String> = []
        while let format = av_demuxer_iterate(&state) {
            guard DemuxerPolicy.allows(format) else { continue }
            names.formUnion(String(cString: format.pointee.name).split(separator: ",").map(String.init))
        }
        #expect(names.isSuperset(of: ["mp3", "flac", "ogg", "mov", "matroska", "wav", "aac", "mpegts", "asf"]))
        #expect(names.isDisjoint(with: ["libgme", "libopenmpt", "modplug", "hls", "dash", "concat", "lavfi", "sdp", "image2", "tty", "avisynth"]))
        #expect(DemuxerPolicy.whitelist.split(separator: ",").filter { !names.contains(String($0)) }.isEmpty)
    }

    @Test("a medium of more than 256 streams opens with the first ones or fails with an error")
    func streams() throws {
        let maps = (0..<300).flatMap { _ in ["-map", "0:a"] }
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 2000), as: "many-streams", "mka", ["-c:a", "pcm_s16le"] + maps)
        let error = BadInputTests.failure(url.path)
        #expect(error == nil || error?.code == .corruptMedia || error?.code == .outOfMemory)
    }
}
