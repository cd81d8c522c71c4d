import FFmpegMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Pictures beside a file")
struct FolderPictureTests {
    private func artwork(_ url: URL, _ picture: [UInt8]?) throws -> Artwork? {
        try FFmpegOpener(folderPicture: { $0.text == url.path ? picture : nil }).open(MediaSource(.file(path: url.path)), interrupt: Interrupt()).info
            .artwork
    }

    @Test("a file without a picture has that of its folder, with the type of its bytes")
    func beside() throws {
        let url = try TestMedia.shared.encoded(MetadataTests.signal, as: "no-picture", "flac", ["-c:a", "flac"])
        let picture = try [UInt8](Data(contentsOf: MetadataTests.picture("png")))
        #expect(try artwork(url, picture) == Artwork(mimeType: "image/png", data: picture))
        #expect(try artwork(url, nil) == nil)
    }

    @Test("a folder's file that is no picture, or one with too many pixels, is ignored")
    func hostile() throws {
        let url = try TestMedia.shared.encoded(MetadataTests.signal, as: "no-picture", "flac", ["-c:a", "flac"])
        var picture = try [UInt8](Data(contentsOf: MetadataTests.picture("png")))
        #expect(try artwork(url, Array("<svg onload='x'>".utf8)) == nil)
        // The width of a PNG is in its bytes 16 to 19. The change makes the picture too wide.
        picture[17] = 0x7F
        #expect(try artwork(url, picture) == nil)
    }

    @Test("the picture inside a file is preferred to that of its folder, which is not even read")
    func inside() throws {
        let cover = try MetadataTests.picture("jpg")
        let url = try TestMedia.shared.file("art-inside.flac") { url in
            try TestMedia.ffmpeg([
                "-i", TestMedia.shared.wave(MetadataTests.signal).path, "-i", cover.path, "-map", "0:a", "-map", "1:v", "-c:a", "flac", "-c:v",
                "copy",
                "-disposition:v", "attached_pic", url.path,
            ])
        }
        let opener = FFmpegOpener(folderPicture: { _ in
            Issue.record("the folder was searched")
            return nil
        })
        #expect(try opener.open(MediaSource(.file(path: url.path)), interrupt: Interrupt()).info.artwork?.mimeType == "image/jpeg")
    }
}
