import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Edit lists of MP4 files")
struct EditTests {
    @Test(
        "a part of a FLAC stream in MP4 lies where the file says, to its end, and seeks in it are exact",
        arguments: [1, 3.3, 11], [[], ["-movflags", "frag_keyframe+empty_moov"]])
    func partOfFLAC(_ second: Double, _ flags: [String]) throws {
        let signal = TestSignal(frameCount: 544_414)
        let plain = try TestMedia.shared.encoded(signal, as: "whole", "flac", ["-c:a", "flac"])
        let url = try TestMedia.shared.file("part-\(second)-\(flags.count).mp4") { url in
            try TestMedia.ffmpeg(["-ss", "\(second)", "-i", plain.path, "-c", "copy", "-strict", "-2"] + flags + [url.path])
        }
        let heard = try SeekTests.check(url, .lossless)
        // In fragments FFmpeg writes no edits: they begin with a whole frame.
        let start = Int((second * 44_100).rounded()), from = flags.isEmpty ? start : start / 4608 * 4608
        let isSame = heard == signal.integers(bits: 16)[(2 * from)...].map { Float($0) * 0x1p-15 }
        #expect(isSame)
    }
}
