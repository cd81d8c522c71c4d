import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("PlaylistPlayer: titles of radio stations") @MainActor struct StreamTitleTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }

    @Test("a title is divided into artist and title at the first hyphen between spaces")
    func division() {
        #expect(PlayerState.Item.split("A - B - C") == ("A", "B - C"))
        for title in ["A-B", " - B", "A - ", "", "-"] { #expect(PlayerState.Item.split(title) == (title, nil)) }
    }

    @Test("the state and the event metadata have the title of the audio that is heard, and the station's name")
    func heardTitle() async throws {
        let url = "http://example.org/live"
        rig.rig.host.setMedium(
            ScriptedMedium(seconds: nil, isSeekable: false, isLive: true, metadata: [MetadataEntry(key: "icy-name", value: "The Station")]), at: url)
        try await rig.perform(.setItem(EntrySpec(source: MediaSource(.remote(url: url)), url: url), play: true, startTime: nil))
        rig.rig.advance(0.5)
        #expect(player.state.currentItem?.stationName == "The Station" && player.state.currentItem?.title == nil)
        let station = try #require(player.loader.current?.item), log = Turn.perform { station.attached.timedMetadata }
        log.add([MetadataEntry(key: "StreamTitle", value: "Somebody - Something")], atTime: 2)
        rig.rig.advance(1)
        #expect(player.state.currentItem?.streamTitle == nil)
        rig.rig.advance(1)
        let item = try #require(player.state.currentItem)
        #expect(item.title == "Something" && item.artist == "Somebody" && item.streamTitle == "Somebody - Something")
        let events = rig.events.compactMap { if case .metadataDidChange(let item) = $0 { item.streamTitle } else { nil } }
        #expect(events == ["Somebody - Something"])
        #expect(player.state.lastChange.reason == .itemLoaded)
    }
}
