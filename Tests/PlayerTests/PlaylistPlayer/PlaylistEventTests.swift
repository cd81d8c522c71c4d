import CoreMedia
import Dispatch
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The events about the current medium, the audio session and the buffer.
@Suite("PlaylistPlayer: events") @MainActor struct PlaylistEventTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }
    var session: AVAudioSession { rig.rig.session }

    private func metadata() -> [PlayerState.Item] {
        rig.events.compactMap { if case .metadataDidChange(let item) = $0 { item } else { nil } }
    }
    /// Waits until the queue of the audio session and the main actor have done their pending work.
    private func settle() {
        rig.rig.run()
        session.routeQueue.sync {}
        rig.rig.run()
    }

    // MARK: Metadata

    @Test("metadata is reported once when it is known, after its picture is available and before the state that has it")
    func metadataKnown() async throws {
        rig.rig.add(
            "song",
            ScriptedMedium(
                seconds: 10, metadata: [MetadataEntry(key: "title", value: "Tag"), MetadataEntry(key: "artist", value: "Somebody")],
                artwork: Artwork(mimeType: "image/png", data: [1])))
        var hadArtwork = false
        let observation = player.observe { [player] notice in
            if case .event(.metadataDidChange(let item)) = notice {
                hadArtwork = player.artwork(itemID: item.id) != nil
                #expect(player.details(itemID: item.id)?.facts?.metadata.first?.value == "Tag")
            }
        }
        var metadataCount = 0
        let stateObservation = player.observe { notice in
            if case .state(let state) = notice, state.currentItem?.title == "Tag", metadataCount == 0 { metadataCount = self.metadata().count }
        }
        defer {
            observation.cancel()
            stateObservation.cancel()
        }
        try await rig.perform(.setItem(rig.spec(of: "song"), play: true, startTime: nil))
        rig.rig.advance(1)
        #expect(metadata().map(\.title) == ["Tag"] && metadata().first?.artist == "Somebody" && metadata().first?.hasArtwork == true)
        #expect(hadArtwork && metadataCount == 1)
    }

    @Test("an entry that is opened again reports metadata only if it has changed")
    func metadataChanged() async throws {
        rig.rig.add("song", ScriptedMedium(seconds: 10, metadata: [MetadataEntry(key: "title", value: "One")]))
        let id = try await rig.append([rig.spec(of: "song")])[0]
        rig.rig.run()
        try await rig.perform(.playEntry(id))
        rig.rig.run()
        #expect(metadata().map(\.title) == ["One"])
        rig.rig.add("song", ScriptedMedium(seconds: 10, metadata: [MetadataEntry(key: "title", value: "Two")]))
        try await rig.perform(.playEntry(id))
        rig.rig.run()
        #expect(metadata().map(\.title) == ["One", "Two"])
    }

    @Test("metadata of an entry that is opened ahead is reported under its own id")
    func metadataAhead() async throws {
        let ids = try await rig.append(["a", "b"].map { rig.spec($0) })
        rig.rig.run()
        #expect(metadata().map(\.id) == ids)
    }

    // MARK: The session

    @Test("an interruption is reported after its rate change, with its reason, and its end with shouldResume (R-RDC-05, R-INT-03)")
    func interruption() async throws {
        try await rig.perform(.setItem(rig.spec("a"), play: true, startTime: nil))
        rig.rig.advance(1)
        rig.clear()
        session.handle(.interruptionBegan(.routeDisconnected))
        rig.rig.run()
        #expect(
            rig.events == [
                .rateDidChange(rate: 0, reason: .audioSessionInterrupted, origin: "player"), .interruption(.began(reason: .routeDisconnected)),
            ])
        #expect(rig.states.last?.audioSession.isInterrupted == true)
        rig.clear()
        session.handle(.interruptionEnded(shouldResume: false))
        session.handle(.interruptionBegan(.default))
        session.handle(.interruptionEnded(shouldResume: true))
        rig.rig.run()
        let interruptions = rig.events.filter { if case .interruption = $0 { true } else { false } }
        #expect(
            interruptions == [
                .interruption(.ended(shouldResume: false)), .interruption(.began(reason: .default)), .interruption(.ended(shouldResume: true)),
            ])
    }

    @Test(
        "every reason of an interruption and of a route change has AVFoundation's name (R-INT-04, R-ROUTE-01)")
    func names() {
        let interruptions: [AVAudioSession.InterruptionReason] = [.default, .appWasSuspended, .builtInMicMuted, .routeDisconnected]
        #expect(
            interruptions.map(\.name) == [
                "default", "appWasSuspended", "builtInMicMuted", "routeDisconnected",
            ])
        let reasons: [AVAudioSession.RouteChangeReason] = [
            .unknown, .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory,
            .routeConfigurationChange,
        ]
        #expect(
            reasons.map(\.name) == [
                "unknown", "newDeviceAvailable", "oldDeviceUnavailable", "categoryChange", "override", "wakeFromSleep",
                "noSuitableRouteForCategory", "routeConfigurationChange",
            ])
    }

    @Test("a route change is reported on the main actor, with its reason and the previous route (R-ROUTE-01, R-ROUTE-02)")
    func route() {
        let speaker = AVAudioSessionPortDescription(portType: .builtInSpeaker, portName: "Speaker", uid: "s")
        let worn = AVAudioSessionPortDescription(portType: .headphones, portName: "Headset", uid: "h")
        session.handle(.routeChanged(.newDeviceAvailable, AVAudioSessionRouteDescription(outputs: [speaker])))
        settle()
        session.handle(.routeChanged(.override, AVAudioSessionRouteDescription(outputs: [worn])))
        settle()
        let ports = [speaker, worn].map { AudioSessionState.Port(portType: $0.portType.rawValue, portName: $0.portName, uid: $0.uid) }
        #expect(
            rig.events == [
                .routeDidChange(AudioSessionState.RouteChange(reason: .newDeviceAvailable, outputs: [ports[0]], previousOutputs: [])),
                .routeDidChange(AudioSessionState.RouteChange(reason: .override, outputs: [ports[1]], previousOutputs: [ports[0]])),
            ])
        #expect(ports.map(\.portType) == ["Speaker", "Headphones"])
    }

    // MARK: The buffer

    @Test("the buffer is that of the current item, under the entry's id, and nil without an item")
    func buffer() async throws {
        #expect(player.buffer == nil)
        guard case .item(let id) = try await rig.perform(.setItem(rig.spec("a", seconds: 10), play: true, startTime: nil)) else { return }
        rig.rig.advance(1)
        let everything = [ItemDetails.TimeRange(start: 0, end: 10)]
        #expect(
            player.buffer
                == BufferState(itemID: id, loaded: everything, seekable: everything, isEmpty: false, isFull: true, isLikelyToKeepUp: true))
    }

    @Test("a buffer observer is called when the current item's buffer changes, across item changes, and not after its cancellation (R-BUF-07)")
    func observing() async throws {
        var seen: [String?] = []
        let observation = player.observeBuffer { [player] in seen.append(player.buffer?.itemID) }
        let ids = try await rig.append(["a", "b"].map { rig.spec($0) })
        rig.rig.run()
        #expect(seen.contains(ids[0]) && !seen.contains(ids[1]))
        try await rig.perform(.next)
        rig.rig.run()
        #expect(seen.last == ids[1])
        func empty() {
            let engine = rig.rig.engine
            engine.emit(
                .bufferChanged(
                    engine.currentItem ?? ItemID(rawValue: 0), BufferLevel(seconds: 0, isEmpty: true, isFull: false, isLikelyToKeepUp: false)))
            rig.rig.run()
        }
        let count = seen.count
        empty()
        #expect(seen.count > count && player.buffer?.isEmpty == true)
        seen = []
        observation.cancel()
        try await rig.perform(.previous)
        rig.rig.run()
        #expect(seen.isEmpty)
    }
}
