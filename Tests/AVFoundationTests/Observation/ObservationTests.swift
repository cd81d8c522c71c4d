import Foundation
import PlaybackTesting
import Testing

@testable import AVFoundation

private func text(_ value: Float?) -> String { value.map { "\($0)" } ?? "nil" }

@Suite("Observation") @MainActor struct ObservationTests {
    let rig = ScriptedRig()
    let log = Recorder()

    @Test("without options a change has neither value; with old and new it has both (R-KVO-01, section K 16)")
    func options() {
        let player = rig.player()
        let plain = player.observe(\.rate) { [log] _, change in log.add("\(text(change.oldValue)) \(text(change.newValue))") }
        player.rate = 1
        plain.invalidate()
        let both = player.observe(\.rate, options: [.old, .new]) { [log] _, change in log.add("\(text(change.oldValue)) \(text(change.newValue))") }
        player.rate = 2
        both.invalidate()
        #expect(log.log == ["nil nil", "1.0 2.0"])
    }

    @Test("initial is called before observe returns, with the new value and without the old one (R-KVO-02, section K 16)")
    func initial() {
        let player = rig.player()
        player.rate = 1
        let token = player.observe(\.rate, options: [.initial, .old, .new]) { [log] _, change in
            log.add("\(text(change.oldValue)) \(text(change.newValue))")
        }
        #expect(log.log == ["nil 1.0"])
        token.invalidate()
    }

    @Test("prior is called before the change, when the property has its old value, and without a new value (R-KVO-03)")
    func prior() {
        let player = rig.player()
        let token = player.observe(\.rate, options: [.prior, .old, .new]) { [log] player, change in
            log.add("\(change.isPrior) reads \(player.rate) old \(text(change.oldValue)) new \(text(change.newValue))")
        }
        player.rate = 1
        #expect(log.log == ["true reads 0.0 old 0.0 new nil", "false reads 1.0 old 0.0 new 1.0"])
        token.invalidate()
    }

    @Test("the handler is called after the property has its new value, and before the setter returns (R-KVO-04)")
    func synchronous() {
        let player = rig.player()
        let token = player.observe(\.defaultRate) { [log] player, _ in log.add("\(player.defaultRate)") }
        player.defaultRate = 3
        #expect(log.log == ["3.0"])
        token.invalidate()
    }

    @Test(
        "a request that leaves rate and timeControlStatus as they are notifies both, also before the change if asked (R-KVO-07, R-RATE-10)",
        arguments: ["play", "pause", "rate", "immediately", "set"])
    func sameRate(_ request: String) {
        let player = rig.readyPlayer()
        player.automaticallyWaitsToMinimizeStalling = false
        if request != "pause" { player.play() }
        let rate = player.observe(\.rate, options: [.old, .new]) { [log] _, change in log.add("rate \(change.oldValue == change.newValue)") }
        let status = player.observe(\.timeControlStatus, options: [.prior]) { [log] player, change in
            log.add("\(player.timeControlStatus) \(change.isPrior)")
        }
        switch request {
        case "play": player.play()
        case "pause": player.pause()
        case "rate": player.rate = 1
        case "immediately": player.playImmediately(atRate: 1)
        default: player.setRate(1, time: .invalid, atHostTime: .invalid)
        }
        let kept = request == "pause" ? "paused" : "playing"
        #expect(log.log == ["\(kept) true", "rate true", "\(kept) false"])
        _ = (rate, status)
    }

    @Test("replaceCurrentItem notifies currentItem and timeControlStatus, also of the same item (R-KVO-07)")
    func sameItem() {
        let item = rig.item("a")
        let player = rig.player(item)
        rig.run()
        let current = player.observe(\.currentItem, options: [.new]) { [log] _, change in log.add(change.newValue == item ? "same" : "other") }
        let status = player.observe(\.timeControlStatus) { [log] player, _ in log.add("\(player.timeControlStatus)") }
        player.replaceCurrentItem(with: item)
        player.replaceCurrentItem(with: nil)
        #expect(log.log == ["paused", "same", "other", "paused"])
        _ = (current, status)
    }

    @Test("the daemon's observers, and requests of the player itself, see no equal value (R-KVO-07)")
    func onlyRequests() {
        let player = rig.playingPlayer()
        let token = player.observeOnMain(\.timeControlStatus) { [log] _, _ in log.add("called") }
        player.play()
        let other = player.observe(\.timeControlStatus) { [log] _, _ in log.add("called by the player itself") }
        player.requestedRate = 1
        rig.advance(1)
        #expect(log.log == [])
        _ = (token, other)
    }

    @Test("other properties that are set to an equal value are not notified (R-KVO-07)")
    func equal() {
        let player = rig.player()
        let tokens = [
            player.observe(\.volume) { [log] _, _ in log.add("volume") }, player.observe(\.isMuted) { [log] _, _ in log.add("muted") },
            player.observe(\.defaultRate) { [log] _, _ in log.add("defaultRate") },
        ]
        player.volume = 1
        player.isMuted = false
        player.defaultRate = 1
        #expect(log.log == [])
        for token in tokens { token.invalidate() }
    }

    @Test("dropping or invalidating the token ends the observation, and the token keeps no object alive (R-KVO-05)")
    func tokens() {
        var player: AVPlayer? = rig.player()
        weak let observed = player
        var token: NSKeyValueObservation? = player?.observe(\.rate) { [log] _, _ in log.add("dropped") }
        let other = player?.observe(\.rate) { [log] _, _ in log.add("invalidated") }
        token = nil
        other?.invalidate()
        other?.invalidate()
        player?.rate = 1
        #expect(log.log == [])
        #expect(token == nil)
        player = nil
        #expect(observed == nil)
    }

    @Test("the handler's captures are released when the observation ends")
    func released() {
        final class Held {}
        let player = rig.player()
        weak var weakHeld: Held?
        let token: NSKeyValueObservation
        do {
            let held = Held()
            weakHeld = held
            token = player.observeOnMain(\.rate) { _, _ in _ = held }
        }
        #expect(weakHeld != nil)
        token.invalidate()
        #expect(weakHeld == nil)
    }

    @Test("if an observer causes another change, all observers see the changes in order")
    func nested() {
        let player = rig.player()
        let first = player.observe(\.rate, options: [.new]) { [log] player, change in
            log.add("first \(change.newValue ?? -1)")
            if change.newValue == 1 { player.pause() }
        }
        let second = player.observe(\.rate, options: [.new]) { [log] _, change in log.add("second \(change.newValue ?? -1)") }
        player.play()
        #expect(log.log == ["first 1.0", "second 1.0", "first 0.0", "second 0.0"])
        #expect(player.rate == 0)
        first.invalidate()
        second.invalidate()
    }

    @Test("an observation that ends during another's call is no longer called")
    func endedMeanwhile() {
        let player = rig.player()
        var second: NSKeyValueObservation?
        let first = player.observeOnMain(\.rate) { _, _ in second?.invalidate() }
        second = player.observe(\.rate) { [log] _, _ in log.add("called") }
        player.play()
        #expect(log.log == [])
        first.invalidate()
    }

    @Test("key paths of a subclass and through an optional can be observed")
    func keyPaths() {
        let queue = rig.queue()
        let rate = queue.observe(\.rate, options: [.new]) { [log] _, change in log.add("rate \(change.newValue ?? -1)") }
        let status = queue.observe(\.currentItem?.status, options: [.new]) { [log] _, change in
            log.add("status \(change.newValue.flatMap { $0 }.map(String.init(describing:)) ?? "none")")
        }
        queue.insert(rig.item("a"), after: nil)
        rig.run()
        queue.rate = 1
        #expect(log.log == ["status unknown", "status readyToPlay", "rate 1.0"])
        rate.invalidate()
        status.invalidate()
    }

    @Test("a token invalidated on another thread ends the observation")
    func otherThread() async {
        let player = rig.player()
        let token = player.observe(\.rate) { [log] _, _ in log.add("called") }
        await Task.detached { token.invalidate() }.value
        player.rate = 1
        #expect(log.log == [])
    }

    @Test("values(for:) gives the current value first, then the newest")
    func values() async {
        let player = rig.player()
        var iterator = player.values(for: \.rate).makeAsyncIterator()
        #expect(await iterator.next() == 0)
        player.rate = 1
        player.rate = 2
        #expect(await iterator.next() == 2)
    }

    @Test("the notification sequence gives those posted since its iterator was made, of that object, in order (R-ASYNC-01, R-ASYNC-02)")
    func notifications() async {
        let player = rig.player()
        let other = rig.player()
        let name = AVPlayer.rateDidChangeNotification
        player.rate = 1
        var iterator = NotificationCenter.default.notifications(named: name, object: player).makeAsyncIterator()
        other.rate = 3
        player.rate = 2
        player.rate = -99
        func reason(_ notification: Notification?) -> AVPlayer.RateDidChangeReason? {
            notification?.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
        }
        #expect(reason(await iterator.next(isolation: #isolation)) == .setRateCalled)
        #expect(reason(await iterator.next(isolation: #isolation)) == .setRateFailed)
    }

    @Test("a loop over notifications ends only by cancellation (R-ASYNC-03)")
    func notificationLoop() async {
        let player = rig.player()
        let task = Task { @MainActor [log] in
            for await notification in NotificationCenter.default.notifications(named: AVPlayer.rateDidChangeNotification, object: player) {
                log.add((notification.object as? AVPlayer) == player ? "mine" : "another's")
            }
            return true
        }
        await Task.yield()
        player.rate = 1
        while log.log.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value)
        #expect(log.log == ["mine"])
    }
}
