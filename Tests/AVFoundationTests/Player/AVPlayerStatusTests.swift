import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVPlayer: status and failures") @MainActor struct AVPlayerStatusTests {
    let rig = ScriptedRig()

    @Test("an item without a player stays unknown, and nothing is opened (R-STATUS-03, R-AKEY-06, section K 2)")
    func unassociated() {
        let item = rig.item("a")
        rig.run()
        #expect(item.status == .unknown)
        #expect(item.duration.isIndefinite)
        #expect(item.loadedTimeRanges.isEmpty)
        #expect(rig.host.engines.isEmpty)
        #expect(rig.opener.openCount == 0)
    }

    @Test("an observer registered before association sees exactly one change to ready, with complete values (R-STATUS-06, R-STATUS-07, R-STATUS-08)")
    func readyOnce() {
        let item = rig.item("a")
        let log = Recorder()
        let token = item.observe(\.status, options: [.new]) { item, change in
            log.add("\(change.newValue.map(String.init(describing:)) ?? "nil") duration=\(item.duration.seconds) tracks=\(item.tracks.count)")
        }
        let player = rig.player(item)
        rig.run()
        #expect(log.log == ["readyToPlay duration=10.0 tracks=1"])
        token.invalidate()
        _ = player
    }

    @Test("the player's status does not mirror the item's (R-PSTAT-01, R-PSTAT-02, section K 11)")
    func playerStatus() {
        rig.add("bad", ScriptedMedium(seconds: nil, failure: PlaybackError(.unsupportedFormat, "This is no media file.")))
        let item = rig.item(of: "bad")
        let player = rig.player(item)
        rig.run()
        #expect(item.status == .failed)
        #expect(player.status == .readyToPlay)
        #expect(player.error == nil)
    }

    @Test("if the item fails, its error is set before its status, the rate becomes 0 with setRateFailed, and the item stays (R-STATUS-05, R-WAIT-07)")
    func failure() {
        rig.add("bad", ScriptedMedium(seconds: nil, failure: PlaybackError(.unsupportedFormat, "This is no media file.")))
        let item = rig.item(of: "bad")
        let log = Recorder()
        let token = item.observe(\.status) { item, _ in log.add("\(item.status) \(item.error.map { $0.localizedDescription } ?? "no error")") }
        let player = rig.player(item)
        player.play()
        log.observeTransport(player)
        rig.run()
        #expect(log.log == ["failed This is no media file.", "rate=0.0", "status=paused", "rateDidChange(SetRateFailed)"])
        #expect((item.error as? AVError)?.code == .fileFormatNotRecognized)
        #expect(player.currentItem === item)
        token.invalidate()
    }

    @Test("a missing file has the same error as in Apple's player (R-KEY-12)")
    func missingFile() {
        let item = rig.item(of: "nothing-here")
        let player = rig.player(item)
        rig.run()
        let error = item.error.map { $0 as NSError }
        #expect(error?.domain == "NSURLErrorDomain")
        #expect(error?.code == -1100)
        _ = player
    }

    @Test("a failure while playing is reported after the rendered frames have been heard (R-NOTE-03, R-EOI-07)")
    func lateFailure() {
        let item = rig.item("a")
        let player = rig.player(item)
        player.play()
        rig.advance(1)
        let log = Recorder()
        log.observeTransport(player)
        log.observeEnds(item)
        let engine = rig.engine
        engine.cutTimeline(after: 500, isFinal: true)
        engine.emit(.failed(engine.currentItem ?? ItemID(rawValue: 0), PlaybackError(.corruptMedia, "It cannot be decoded.")))
        rig.advance(0.4)
        #expect(log.log == [])
        #expect(item.status == .readyToPlay)
        rig.advance(0.2)
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(SetRateFailed)", "failedToPlayToEnd"])
        #expect(item.status == .failed)
    }

    @Test("the status does not change after removal (R-STATUS-04, section K 3)")
    func frozen() {
        rig.add("slow", ScriptedMedium(seconds: 5, isHeld: true))
        let item = rig.item(of: "slow")
        let player = rig.player(item)
        rig.run()
        let id = rig.engine.currentItem ?? ItemID(rawValue: 0)
        player.replaceCurrentItem(with: nil)
        rig.engine.emit(.opened(id, ScriptedMedium(seconds: 5).info))
        rig.run()
        #expect(item.status == .unknown)
    }

    @Test("failed is final: later events change neither the status nor the error (R-STATUS-02, R-STATUS-07, section K 3)")
    func failedIsTerminal() {
        // The item loads no keys of its asset automatically, so that the engine, and not the asset, reports the failure.
        let item = AVPlayerItem(asset: rig.asset(of: "missing"), automaticallyLoadedAssetKeys: [String]())
        let player = rig.player(item)
        rig.run()
        #expect(item.status == .failed)
        let error = item.error as NSError?
        let log = Recorder()
        log.observe(item, "status", \.status)
        rig.engine.emit(.opened(item.id, ScriptedMedium(seconds: 5).info))
        rig.run()
        #expect(item.status == .failed)
        rig.engine.emit(.failed(item.id, PlaybackError(.network, "It cannot be reached either.")))
        rig.run()
        #expect(item.status == .failed)
        #expect(error != nil && item.error as NSError? == error)
        #expect(log.log.isEmpty)
        #expect(player.currentItem === item)
    }
}
