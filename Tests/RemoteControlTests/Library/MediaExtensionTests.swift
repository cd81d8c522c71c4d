import Testing

@testable import RemoteControl

@Suite("The extensions of media")
struct MediaExtensionTests {
    private func kind(_ name: String) -> MediaLibrary.Kind? { MediaExtension.kind(Array(name.utf8)) }

    @Test("the extension decides the kind, in any letter case", arguments: ["a.flac", "b.MP3", "c.d.opus", "é.Ogg"])
    func audio(_ name: String) { #expect(kind(name) == .audio) }

    @Test("playlist files have a kind of their own", arguments: ["a.m3u8", "a.PLS", "a.xspf"])
    func playlists(_ name: String) { #expect(kind(name) == .playlist) }

    @Test(
        "names without a known extension are not media", arguments: ["", ".", "a", "a.", ".mp3", "flac", "a.txt", "a.flacs", "a.mp3\0", "a.longer"])
    func others(_ name: String) { #expect(kind(name) == nil) }
}
