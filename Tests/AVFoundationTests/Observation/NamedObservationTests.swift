import CoreMedia
import Foundation
import PlaybackTesting
import Testing

@testable import AVFoundation

/// An observer in the form of Apple's guide: one method for all properties, which are told apart by their contexts.
private final class PlayerObserver: KeyValueObserver {
    nonisolated(unsafe) static var playerContext = 0
    nonisolated(unsafe) static var itemContext = 0
    let log = Recorder()

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
    ) {
        let value = change?[.newKey].map { $0 is NSNull ? "null" : "\(($0 as? NSNumber)?.intValue ?? -1)" } ?? "-"
        let old = change?[.oldKey].map { $0 is NSNull ? "null" : "\(($0 as? NSNumber)?.intValue ?? -1)" } ?? "-"
        let isPrior = (change?[.notificationIsPriorKey] as? NSNumber)?.boolValue == true
        let place = context == &Self.playerContext ? "player" : context == &Self.itemContext ? "item" : "other"
        log.add("\(place) \(keyPath ?? "") \(old) \(value)\(isPrior ? " prior" : "")")
        super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
}

@Suite("Observing by names") @MainActor struct NamedObservationTests {
    let rig = ScriptedRig()
    private let observer = PlayerObserver()

    @Test("observeValue gets path, context and values, of enumerations the raw values as numbers (R-KVO-01, R-KVO-02, R-KVO-03, R-KVO-06)")
    func values() {
        let player = rig.readyPlayer()
        player.addObserver(observer, forKeyPath: "rate", options: [.old, .new, .prior], context: &PlayerObserver.playerContext)
        player.addObserver(observer, forKeyPath: "timeControlStatus", options: [.initial, .new], context: nil)
        player.play()
        #expect(
            observer.log.log == ["other timeControlStatus - 0", "player rate 0 - prior", "player rate 0 1", "other timeControlStatus - 2"])
        player.removeObserver(observer, forKeyPath: "rate")
        player.removeObserver(observer, forKeyPath: "timeControlStatus")
    }

    @Test("a path goes through the current item, whose absence is NSNull (R-KVO-06)")
    func path() throws {
        let player = rig.player()
        player.addObserver(observer, forKeyPath: "currentItem.status", options: [.initial, .old, .new], context: &PlayerObserver.itemContext)
        player.replaceCurrentItem(with: rig.item("a"))
        rig.run()
        #expect(
            observer.log.log == ["item currentItem.status - null", "item currentItem.status null 0", "item currentItem.status 0 1"])
        #expect(player.value(forKeyPath: "currentItem.duration") as? NSValue == NSValue(time: ms(10_000)))
        player.removeObserver(observer, forKeyPath: "currentItem.status", context: &PlayerObserver.itemContext)
    }

    @Test("a removed observer is not called; of two registrations, the one with the context is removed (R-KVO-05)")
    func removal() {
        let player = rig.player()
        player.addObserver(observer, forKeyPath: "rate", context: &PlayerObserver.playerContext)
        player.addObserver(observer, forKeyPath: "rate", context: &PlayerObserver.itemContext)
        player.removeObserver(observer, forKeyPath: "rate", context: &PlayerObserver.playerContext)
        player.rate = 1
        #expect(observer.log.log == ["item rate - -"])
        player.removeObserver(observer, forKeyPath: "rate")
        player.rate = 2
        #expect(observer.log.log.count == 1)
    }

    @Test("neither the object nor the observer is kept alive, and a released observer is not called (R-KVO-05)")
    func lifetime() {
        var player: AVPlayer? = rig.player()
        weak let observed = player
        var released: PlayerObserver? = PlayerObserver()
        weak let weakObserver = released
        let log = released?.log
        if let player, let released { player.addObserver(released, forKeyPath: "rate", context: nil) }
        released = nil
        #expect(weakObserver == nil)
        player?.rate = 1
        #expect(log?.log == [])
        player = nil
        #expect(observed == nil)
    }

    @Test("value(forKey:) knows the properties by their names in Objective-C and in Swift, and gives nil for nil (R-KVO-06)")
    func reading() {
        let player = rig.player()
        player.isMuted = true
        #expect((player.value(forKey: "muted") as? NSNumber)?.boolValue == true && (player.value(forKey: "isMuted") as? NSNumber)?.boolValue == true)
        #expect(player.value(forKey: "currentItem") == nil && player.value(forKey: "error") == nil)
        #expect((player.value(forKey: "volume") as? NSNumber)?.floatValue == 1)
        let item = rig.item("a")
        #expect((item.value(forKey: "isPlaybackBufferEmpty") as? NSNumber)?.boolValue == true)
        #expect((item.value(forKey: "loadedTimeRanges") as? [NSValue])?.isEmpty == true)
        #expect(rig.session.value(forKey: "category") as? String == AVAudioSession.Category.soloAmbient.rawValue)
    }
}
