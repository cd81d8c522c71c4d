import Foundation
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// Records the groups of metadata that an output delivers.
private final class MetadataReceiver: AVPlayerItemMetadataOutputPushDelegate {
    private let received = Mutex<[AVTimedMetadataGroup]>([])
    var groups: [AVTimedMetadataGroup] { received.withLock { $0 } }
    var titles: [String] { groups.flatMap(\.items).compactMap(\.stringValue) }

    func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?
    ) { received.withLock { $0 += groups } }
}

@Suite("Metadata in the course of an item") @MainActor struct TimedMetadataTests {
    let rig = ScriptedRig()
    private let receiver = MetadataReceiver()

    private func station() -> (AVPlayerItem, AVPlayer) {
        let url = "http://example.org/live"
        rig.host.setMedium(ScriptedMedium(seconds: nil, isSeekable: false, isLive: true), at: url)
        let item = AVPlayerItem(asset: AVAsset(source: MediaSource(.remote(url: url)), environment: rig.environment))
        let player = rig.player(item)
        rig.run()
        return (item, player)
    }
    private func title(_ text: String) -> [MetadataEntry] {
        [MetadataEntry(key: "StreamTitle", value: text), MetadataEntry(key: "StreamURL", value: "u")]
    }
    private func shown(_ item: AVPlayerItem) -> String? { item.timedMetadata?.first?.stringValue }

    @Test("a title is published when its audio is heard, not when it is decoded (R-META-01)")
    func heard() {
        let (item, player) = station()
        item.metadataLog.add(title("One"), atTime: 2)
        item.metadataLog.add(title("Two"), atTime: 5)
        player.play()
        rig.advance(1.999)
        #expect(item.timedMetadata == nil)
        rig.advance(0.002)
        #expect(shown(item) == "One")
        rig.advance(2.998)
        #expect(shown(item) == "One")
        rig.advance(0.002)
        #expect(shown(item) == "Two")
    }

    @Test("during a pause no title is published; a title for the audio that is already heard is published at once (R-META-01)")
    func pause() {
        let (item, player) = station()
        player.play()
        rig.advance(3)
        item.metadataLog.add(title("Late"), atTime: 2.5)
        rig.run()
        #expect(shown(item) == "Late")
        player.pause()
        item.metadataLog.add(title("Next"), atTime: 4)
        rig.advance(9)
        #expect(shown(item) == "Late")
        player.play()
        rig.advance(1.001)
        #expect(shown(item) == "Next")
    }

    @Test("a title has Apple's identifiers and the common key of a title (R-META-03)")
    func identifiers() throws {
        let (item, player) = station()
        item.metadataLog.add(title("One"), atTime: 0)
        player.play()
        rig.advance(1)
        let items = try #require(item.timedMetadata)
        #expect(items.map(\.identifier) == [.icyMetadataStreamTitle, .icyMetadataStreamURL])
        #expect(items.first?.commonKey == .commonKeyTitle && items.first?.keySpace == .icy)
    }

    @Test("a metadata output delivers each group once, with its time, and only the requested identifiers (R-META-02)")
    func output() {
        let (item, player) = station()
        let output = AVPlayerItemMetadataOutput(identifiers: [AVMetadataIdentifier.icyMetadataStreamTitle.rawValue])
        output.setDelegate(receiver, queue: .main)
        item.add(output)
        item.metadataLog.add(title("One"), atTime: 1)
        item.metadataLog.add(title("Two"), atTime: 2)
        player.play()
        rig.advance(1.5)
        #expect(receiver.titles == ["One"])
        #expect(receiver.groups.first?.timeRange.start.seconds == 1)
        rig.advance(5)
        #expect(receiver.titles == ["One", "Two"])
    }

    @Test("a removed metadata output, and one of other identifiers, delivers nothing (R-META-02)")
    func silentOutputs() {
        let (item, player) = station()
        let other = AVPlayerItemMetadataOutput(identifiers: ["id3/TIT2"]), removed = AVPlayerItemMetadataOutput()
        for output in [other, removed] {
            output.setDelegate(receiver, queue: nil)
            item.add(output)
        }
        item.remove(removed)
        item.metadataLog.add(title("One"), atTime: 1)
        player.play()
        rig.advance(5)
        #expect(receiver.groups.isEmpty)
    }

    @Test("timedMetadata is observable, and a title that does not change causes no notification (R-META-01)")
    func observation() {
        let (item, player) = station()
        let log = Recorder()
        log.observe(item, "title", \.timedMetadata?.first?.stringValue)
        for time in [1, 2, 3] { item.metadataLog.add(title("One"), atTime: Double(time)) }
        player.play()
        rig.advance(10)
        #expect(log.log.count == 1)
    }
}
