import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVPlayerLooper") @MainActor struct LooperTests {
    let rig = ScriptedRig()
    let log = Recorder()

    /// Returns a template item whose duration has been loaded. So a looper needs only one turn of the main actor to read the duration.
    func template(_ name: String = "loop", seconds: Double = 2) async throws -> AVPlayerItem {
        let item = rig.item(name, seconds: seconds)
        _ = try await item.asset.load(.duration)
        return item
    }
    func range(_ start: Int64, _ end: Int64) -> CMTimeRange { CMTimeRange(start: ms(start), end: ms(end)) }

    @Test("at least three copies precede the queued items, the template itself is not played, and the queue advances (R-LOOP-01)")
    func copies() async throws {
        let template = try await template()
        let other = rig.item("other")
        let player = rig.queue([other])
        player.actionAtItemEnd = .pause
        player.play()
        rig.advance(1)
        log.observeTransport(player)
        let looper = AVPlayerLooper(player: player, templateItem: template)
        #expect(looper.status == .unknown && looper.loopingPlayerItems.isEmpty)
        rig.run()
        #expect(looper.status == .ready && looper.loopingPlayerItems.count >= 3)
        #expect(player.items() == looper.loopingPlayerItems + [other] && !player.items().contains(template))
        #expect(player.actionAtItemEnd == .advance)
        // The looper pauses the player while it inserts the copies, and then restores the rate.
        #expect(log.log.first == "rate=0.0" && player.rate == 1 && player.timeControlStatus == .playing)
    }

    @Test("with loopingItemsFollowExistingItems the copies follow the queued items (R-LOOP-01)")
    func behind() async throws {
        let template = try await template()
        let other = rig.item("other", seconds: 1)
        let player = rig.queue([other])
        let looper = AVPlayerLooper(player: player, templateItem: template, existingItemsOrdering: .loopingItemsFollowExistingItems)
        rig.run()
        #expect(player.items() == [other] + looper.loopingPlayerItems)
        player.play()
        rig.advance(3.5)
        #expect(looper.loopCount == 1, "the first pass is not counted")
    }

    @Test("the status is unknown until the duration is known, then ready; failed without a duration, cancelled at the end (R-LOOP-02)")
    func statuses() async throws {
        #expect([AVPlayerLooper.Status.unknown, .ready, .failed, .cancelled].map(\.rawValue) == [0, 1, 2, 3])
        let player = rig.queue()
        let missing = rig.item(of: "missing")
        _ = try? await missing.asset.load(.duration)
        let failing = AVPlayerLooper(player: player, templateItem: missing)
        log.observe(failing, "status", \.status)
        rig.run()
        #expect(log.log == ["status=failed"] && failing.error != nil && player.items().isEmpty)
        rig.add("radio", ScriptedMedium(seconds: nil, isSeekable: false, isLive: true))
        let radio = rig.item(of: "radio")
        _ = try await radio.asset.load(.duration)
        let endless = AVPlayerLooper(player: player, templateItem: radio)
        rig.run()
        #expect(endless.status == .failed && endless.error != nil)
        let looper = AVPlayerLooper(player: player, templateItem: try await template())
        rig.run()
        #expect(looper.status == .ready && looper.error == nil)
        looper.disableLooping()
        #expect(looper.status == .cancelled && looper.error == nil)
        let early = AVPlayerLooper(player: player, templateItem: try await self.template("early"))
        early.disableLooping()
        rig.run()
        #expect(early.status == .cancelled && early.loopingPlayerItems.isEmpty)
    }

    @Test("a time range is looped from its start to its end; one outside the item fails (R-LOOP-03)")
    func part() async throws {
        let player = rig.queue()
        let looper = AVPlayerLooper(player: player, templateItem: try await template(seconds: 10), timeRange: range(2_000, 3_500))
        rig.run()
        #expect(looper.loopingPlayerItems.allSatisfy { $0.forwardPlaybackEndTime == ms(3_500) })
        player.play()
        rig.advance(0.5)
        #expect(player.currentTime() == ms(2_500))
        rig.advance(1.5)
        #expect(looper.loopCount == 1 && player.currentTime() == ms(2_500))
        rig.advance(30)
        #expect(looper.loopCount == 21 && player.currentTime() == ms(2_500) && player.rate == 1)
        let queue = rig.queue()
        let outside = AVPlayerLooper(player: queue, templateItem: try await template("b", seconds: 3), timeRange: range(2_000, 3_500))
        rig.run()
        #expect(outside.status == .failed && queue.items().isEmpty)
    }

    @Test("loopCount begins at 0, grows with each new pass and is observable; the copies stay the same (R-LOOP-04)")
    func count() async throws {
        let player = rig.queue()
        let looper = AVPlayerLooper(player: player, templateItem: try await template())
        rig.run()
        let copies = Set(looper.loopingPlayerItems)
        log.observe(looper, "count", \.loopCount)
        log.observe(player, "rate", \.rate)
        #expect(looper.loopCount == 0)
        player.play()
        rig.advance(8.5)
        #expect(log.log == ["rate=1.0", "count=1", "count=2", "count=3", "count=4"])
        #expect(Set(looper.loopingPlayerItems) == copies && Set(player.items()) == copies)
        #expect(player.timeControlStatus == .playing && player.currentTime() == ms(500))
    }

    @Test("after disableLooping the current pass plays to its end, then the following items, and the former end action is restored (R-LOOP-04)")
    func disabling() async throws {
        let other = rig.item("other", seconds: 5)
        let player = rig.queue([other])
        let looper = AVPlayerLooper(player: player, templateItem: try await template())
        rig.run()
        player.play()
        rig.advance(3)
        looper.disableLooping()
        #expect(looper.status == .cancelled && looper.loopingPlayerItems.isEmpty && player.actionAtItemEnd == .advance)
        #expect(player.items().count == 2 && player.currentTime() == ms(1_000))
        rig.advance(2)
        #expect(player.currentItem === other && looper.loopCount == 1)
        looper.disableLooping()
        #expect(looper.status == .cancelled)
    }

    @Test("a deallocated looper stops looping")
    func dropping() async throws {
        let player = rig.queue()
        var looper: AVPlayerLooper? = AVPlayerLooper(player: player, templateItem: try await template())
        rig.run()
        player.play()
        rig.advance(1)
        #expect(looper?.status == .ready)
        looper = nil
        rig.advance(5)
        #expect(player.currentItem == nil)
    }

    @Test("if a copy fails, the looper fails, and the following items are played")
    func copyFails() async throws {
        let other = rig.item("other", seconds: 5)
        let player = rig.queue([other])
        let looper = AVPlayerLooper(player: player, templateItem: try await template())
        rig.run()
        player.play()
        rig.advance(1)
        let current = try #require(player.currentItem)
        rig.engine.setTimeline(Timeline(sampleRate: 1_000))
        rig.engine.emit(.failed(current.id, PlaybackError(.corruptMedia, "It is broken.")))
        rig.advance(0.5)
        #expect(looper.status == .failed && (looper.error as? AVError)?.code == .fileFailedToParse)
        #expect(player.currentItem === other && player.rate == 1)
    }

    @Test(
        "on the real engine passes join without a lost or added frame, with a time range too (R-LOOP-01, R-LOOP-04, R-QUEUE-06)",
        arguments: [true, false])
    func gapless(isPart: Bool) async throws {
        let rig = RealRig()
        let template = rig.item("loop", frames: 60_000)
        _ = try await template.asset.load(.duration)
        let player = AVQueuePlayer(items: [], environment: rig.environment)
        let part = CMTimeRange(start: CMTime(value: 10_000, timescale: 44_100), duration: CMTime(value: 22_050, timescale: 44_100))
        let looper = AVPlayerLooper(player: player, templateItem: template, timeRange: isPart ? part : .invalid)
        rig.settle()
        player.play()
        rig.advance(6)
        let pass = isPart ? (10_000..<32_050).map { Float($0) } : (0..<60_000).map { Float($0) }
        let expected = Array(Array(repeating: pass, count: 15).joined().prefix(rig.heard.count))
        #expect(rig.heard.count > 44_100 * 5)
        // A time range begins in the middle of the item's audio. So its first 5 ms fade in at the first pass, and are not compared.
        let begin = isPart ? 441 : 0
        let shift = isPart ? (rig.heard.dropFirst(begin).first.map { Int($0) - 10_000 } ?? 0) - begin : 0
        let wanted = Array(Array(repeating: pass, count: 15).joined().dropFirst(begin + shift).prefix(rig.heard.count - begin))
        #expect(Array(rig.heard.dropFirst(begin)) == (isPart ? wanted : Array(expected)))
        #expect(looper.loopCount >= 3)
    }
}
