import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

/// Pictures that are read from servers, by the rules for remote media.
@Suite("Pictures of servers")
struct ServerPictureTests {
    private func picture(_ url: String, allowsPrivate: Bool = true, interrupt: Interrupt = Interrupt()) -> Result<Artwork, PlaybackError> {
        let source = MediaSource(.remote(url: url), allowsPrivateAddresses: allowsPrivate)
        do throws(PlaybackError) { return .success(try FFmpegOpener().picture(at: source, interrupt: interrupt)) } catch { return .failure(error) }
    }

    private func failure(_ result: Result<Artwork, PlaybackError>) -> PlaybackError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test("a picture has the type of its bytes, whatever the server states, with and without byte ranges", arguments: [true, false])
    func picture(_ ranges: Bool) throws {
        let bytes = try TestPicture.quarters(100, 80, "png")
        let server = try MediaServer { _ in .bytes(bytes, ranges: ranges) }
        defer { server.stop() }
        #expect(try picture(server.url("/a.jpg")).get() == Artwork(mimeType: "image/png", data: bytes))
    }

    @Test("a content that is no picture, and one that was cut off before its dimensions, are refused")
    func foreign() throws {
        for bytes in [Array("<html></html>".utf8), Array(try TestPicture.quarters(100, 80, "png").prefix(16)), []] {
            let server = try MediaServer { _ in .bytes(bytes, ranges: false) }
            defer { server.stop() }
            #expect(failure(picture(server.url("/a.jpg"))) != nil)
        }
        #expect(failure(picture("ftp://h/a.jpg"))?.code == .unsupportedScheme)
    }

    @Test("an endless picture is read up to its largest size")
    func endless() throws {
        let bytes = try TestPicture.quarters(100, 80, "png") + [UInt8](repeating: 0, count: Metadata.artworkLimit + 1_000_000)
        let server = try MediaServer { _ in .bytes(bytes, ranges: false) }
        defer { server.stop() }
        #expect(failure(picture(server.url("/a.png")))?.message == "The picture has more than 16 MiB.")
    }

    @Test("a picture is at a public address unless private ones are allowed, and is never a file")
    func addresses() throws {
        let bytes = try TestPicture.quarters(100, 80, "png")
        let server = try MediaServer { _ in .bytes(bytes, ranges: true) }
        defer { server.stop() }
        #expect(failure(picture(server.url("/a.png"), allowsPrivate: false))?.code == .addressNotAllowed && server.requests.isEmpty)
        let file = try BadInputTests.file("server-picture.png", bytes)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: PlaybackError.self) {
            try FFmpegOpener().picture(at: MediaSource(.file(path: file.path)), interrupt: Interrupt())
        }
        #expect(error?.code == .unsupportedScheme)
    }

    @Test("an interrupt ends the transfer of a picture")
    func interrupted() throws {
        let interrupt = Interrupt()
        let server = try MediaServer { _ in
            interrupt.raise()
            return .bytes([UInt8](repeating: 0, count: 1_000_000), ranges: true)
        }
        defer { server.stop() }
        #expect(failure(picture(server.url("/a.png"), interrupt: interrupt))?.code == .cancelled)
    }
}
