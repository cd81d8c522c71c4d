import Combine
import Dispatch
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// Runs `body` on another thread, while the calling thread waits. So no call in `body` may wait for the main thread.
private func elsewhere(_ body: @escaping @Sendable () -> Void) { WorkerThread(name: "elsewhere", body: body).join() }

/// Objects that one thread keeps for another one.
private final class Held: Sendable {
    private let objects = Mutex<[any Sendable]>([])
    func add(_ object: any Sendable) { objects.withLock { $0.append(object) } }
    /// Releases the objects in the order in which they were added.
    func release() {
        var all = objects.withLock { objects in
            defer { objects = [] }
            return objects
        }
        while !all.isEmpty { all.removeFirst() }
    }
}

/// An object as clients write them, which ends its observation and pauses its player when it is released.
private final class ViewModel: Sendable {
    private let player: AVPlayer
    private let log: Recorder
    private let observation = Mutex<NSKeyValueObservation?>(nil)

    init(_ player: AVPlayer, _ log: Recorder) {
        self.player = player
        self.log = log
    }

    func own(_ token: NSKeyValueObservation) { observation.withLock { $0 = token } }
    func note(_ line: String) { log.add(line) }

    deinit {
        let token = observation.withLock { $0 }
        token?.invalidate()
        player.pause()
        log.add("released \(player.rate) \(Turn.lock.isHeld)")
    }
}

/// Code as a client writes it in Swift 6 mode, without an actor.
private final class NonisolatedClient {
    let player: AVPlayer
    init(player: AVPlayer = AVPlayer()) { self.player = player }
    func isReady(_ item: AVPlayerItem, by path: KeyPath<AVPlayerItem, AVPlayerItem.Status> = \.status) -> Bool { item[keyPath: path] == .readyToPlay }
}
private protocol Transport {
    func play()
    func pause()
    var rate: Float { get set }
}
extension AVPlayer: Transport {}

@Suite("Any thread") @MainActor struct AnyThreadTests {
    let rig = ScriptedRig()
    let log = Recorder()

    private nonisolated static var place: String { MainQueue.isCurrent ? "main" : "elsewhere" }

    // MARK: Commands and reads

    @Test("a command on another thread has taken effect when it returns, for reads on every thread (R-KVO-08)")
    func command() {
        let player = rig.readyPlayer()
        elsewhere { [log] in
            player.play()
            log.add("\(player.rate) \(player.timeControlStatus)")
        }
        #expect(log.log == ["1.0 playing"])
        #expect(player.rate == 1 && player.timeControlStatus == .playing)
        #expect(rig.engine.commands.contains { if case .setRunning(true) = $0 { true } else { false } })
    }

    @Test("a player, its item and its queue are made, used and released on another thread (R-KVO-08)")
    func life() {
        let environment = rig.environment, one = rig.asset("one"), two = rig.asset("two")
        elsewhere { [log] in
            weak var released: AVQueuePlayer?
            do {
                let items = [AVPlayerItem(asset: one), AVPlayerItem(asset: two)]
                let player = AVQueuePlayer(items: items, environment: environment)
                released = player
                player.volume = 0.5
                player.isMuted = true
                player.defaultRate = 2
                player.actionAtItemEnd = .pause
                items[1].forwardPlaybackEndTime = ms(500)
                player.advanceToNextItem()
                player.insert(items[0], after: nil)
                player.remove(items[0])
                log.add("\(player.items() == [items[1]]) \(player.currentItem === items[1]) \(player.currentTime() == .zero)")
                log.add("\(player.volume) \(player.isMuted) \(player.defaultRate) \(items[1].status) \(items[1].duration.isIndefinite)")
                player.removeAllItems()
                player.replaceCurrentItem(with: items[1].duplicate())
                log.add("\(player.items().count) \(player.error == nil) \(player.reasonForWaitingToPlay == nil)")
                player.shutDown()
            }
            log.add("\(released == nil)")
        }
        #expect(log.log == ["true true true", "0.5 true 2.0 unknown true", "1 true true", "true"])
    }

    @Test("a player, an item, a looper and their tokens that were used on the main thread may be released on another one (R-KVO-05)")
    func release() async throws {
        let held = Held()
        weak var player: AVQueuePlayer?
        do {
            let made = rig.queue(), template = rig.item("a")
            _ = try await template.asset.load(.duration)
            let looper = AVPlayerLooper(player: made, templateItem: template)
            made.play()
            rig.advance(0.5)
            #expect(looper.status == .ready)
            held.add(looper.observe(\.loopCount) { _, _ in })
            held.add(looper)
            held.add(template)
            held.add(made)
            player = made
        }
        rig.run()
        elsewhere { held.release() }
        rig.run()
        #expect(player == nil)
    }

    @Test("an observer on the main thread may wait for another thread that uses the player")
    func waiting() {
        let player = rig.readyPlayer()
        let token = player.observe(\.rate, options: [.new]) { [log] player, change in
            log.add("\(change.newValue ?? -1) \(Self.place)")
            if change.newValue == 1 { elsewhere { player.pause() } }
        }
        player.play()
        #expect(player.rate == 0)
        #expect(log.log == ["1.0 main", "0.0 main"], "the thread that is in the handler delivers the later change")
        _ = token
    }

    @Test("the audio session is used on another thread, and pauses its players")
    func session() {
        let player = rig.readyPlayer(), session = rig.session
        player.play()
        elsewhere { [log] in
            let token = session.observe(\.category, options: [.new]) { session, _ in log.add("\(session.category.rawValue) \(Self.place)") }
            try? session.setCategory(.playback, mode: .spokenAudio)
            do { try session.setActive(false) } catch { log.add("\(error)") }
            token.invalidate()
        }
        #expect(log.log == ["AVAudioSessionCategoryPlayback elsewhere", "isBusy"])
        #expect(player.rate == 0)
    }

    @Test("code without an actor makes a player, names its key paths and conforms it to protocols in Swift 6 mode")
    func isolation() {
        let environment = rig.environment
        elsewhere { [log] in
            let client = NonisolatedClient(player: AVPlayer(playerItem: nil, environment: environment))
            var transport: any Transport = client.player
            transport.play()
            transport.rate = 2
            log.add("\(client.player.rate) \(client.isReady(AVPlayerItem(url: URL(filePath: "/a"))))")
        }
        #expect(log.log == ["2.0 false"])
    }

    // MARK: Notifications

    @Test("an observer gets a change on the thread that makes it, before the call returns (R-KVO-04)")
    func ownThread() {
        let player = rig.readyPlayer()
        let token = player.observe(\.rate, options: [.old, .new]) { [log] player, change in
            log.add("\(change.oldValue ?? -1) \(change.newValue ?? -1) \(player.rate) \(Self.place)")
        }
        elsewhere { [log] in
            player.rate = 2
            log.add("returned")
        }
        player.pause()
        #expect(log.log == ["0.0 2.0 2.0 elsewhere", "returned", "2.0 0.0 0.0 main"])
        _ = token
    }

    @Test("the initial call, and the one before a change, when the old value can still be read, are on the calling thread (R-KVO-02, R-KVO-03)")
    func options() {
        let player = rig.player()
        elsewhere { [log] in
            let token = player.observe(\.volume, options: [.initial, .prior]) { player, change in
                log.add("\(change.isPrior) \(player.volume) \(Self.place)")
            }
            log.add("observed")
            player.volume = 0.5
            token.invalidate()
        }
        #expect(log.log == ["false 1.0 elsewhere", "observed", "true 1.0 elsewhere", "false 0.5 elsewhere"])
    }

    @Test("a nested change on another thread is delivered to all observers after the first one, before the outer call returns (R-KVO-04)")
    func nested() {
        let player = rig.player()
        let first = player.observe(\.rate, options: [.new]) { [log] player, change in
            log.add("first \(change.newValue ?? -1)")
            if change.newValue == 1 { player.pause() }
        }
        let second = player.observe(\.rate, options: [.new]) { [log] _, change in log.add("second \(change.newValue ?? -1)") }
        elsewhere { [log] in
            player.play()
            log.add("returned")
        }
        #expect(log.log == ["first 1.0", "second 1.0", "first 0.0", "second 0.0", "returned"])
        _ = (first, second)
    }

    @Test("a change of the player's own is delivered on the main queue, also if a call on another thread has noticed it (R-KVO-04)")
    func ownChange() {
        let player = rig.player(rig.item("a", seconds: 1))
        player.play()
        rig.run()
        let token = player.observe(\.rate, options: [.new]) { [log] _, change in log.add("rate \(change.newValue ?? -1) \(Self.place)") }
        // The item ends, and no timer has run when the other thread calls.
        rig.clock.advance(by: 2)
        elsewhere { [log] in
            player.seek(to: .zero)
            log.add("returned \(player.rate)")
        }
        #expect(log.log == ["returned 0.0"])
        rig.run()
        #expect(log.log == ["returned 0.0", "rate 0.0 main"])
        _ = token
    }

    @Test("notifications, completions and time observers without a queue are on the main queue (R-NOTE-01, R-SEEK-03, R-PTO-04)")
    func mainQueue() throws {
        let player = rig.readyPlayer()
        log.observe(AVPlayer.rateDidChangeNotification, player, as: "rate ") { _ in Self.place }
        let observer = player.addPeriodicTimeObserver(forInterval: ms(100)) { [log] _ in log.add("time \(Self.place)") }
        let token = try #require(observer as? TimeObserverToken)
        elsewhere { [log] in
            player.play()
            player.seek(to: ms(500), toleranceBefore: .zero, toleranceAfter: .zero) { log.add("seek \($0) \(Self.place)") }
            log.add("returned")
        }
        #expect(log.log == ["returned"])
        rig.run()
        #expect(Set(log.log) == ["returned", "rate main", "time main", "seek true main"])
        elsewhere { player.removeTimeObserver(token) }
        log.clear()
        rig.advance(1)
        #expect(log.log == [])
    }

    @Test("however often another thread commands, at most one call of a time observer waits for the main queue, with the newest time (R-PTO-09)")
    func backlog() {
        let player = rig.playingPlayer()
        let token = player.addPeriodicTimeObserver(forInterval: ms(10_000)) { [log] in log.add("\($0.seconds) \(Self.place)") }
        rig.run()
        log.clear()
        elsewhere { [clock = rig.clock] in
            for _ in 1...10 {
                player.pause()
                player.play()
                clock.advance(by: 0.1)
            }
            player.pause()
        }
        rig.run()
        #expect(log.log == ["\(player.currentTime().seconds) main"])
        _ = token
    }

    @Test("an observer gets the changes of several threads in the order in which they were made, each once, and never two at a time (R-KVO-04)")
    func order() {
        let player = rig.player()
        let changes = Mutex<[(Float, Float)]>([]), calls = Atomic<Int>(0), overlaps = Atomic<Int>(0)
        let token = player.observe(\.volume, options: [.old, .new]) { _, change in
            if calls.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
            changes.withLock { $0.append((change.oldValue ?? -1, change.newValue ?? -1)) }
            calls.subtract(1, ordering: .relaxed)
        }
        let threads = (0..<4).map { number in
            WorkerThread(name: "changes") { for step in 0..<100 { player.volume = Float(number * 100 + step) / 1_000 } }
        }
        for thread in threads { thread.join() }
        token.invalidate()
        let all = changes.withLock { $0 }
        #expect(all.count == 400)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.1 == $1.0 }, "each change begins with the value of the one before it")
        #expect(Set(all.map(\.1)).count == 400)
        #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    // MARK: Releases

    @Test("a completion may hold the last reference of an object whose deinit pauses the player")
    func completionReleases() {
        let player = rig.playingPlayer()
        player.seek(to: ms(3_000), toleranceBefore: .zero, toleranceAfter: .zero) { [model = ViewModel(player, log)] _ in model.note("completed") }
        rig.advance(1)
        #expect(log.log == ["completed", "released 0.0 false"])
    }

    @Test("what follows a turn on another thread may release an object whose deinit pauses the player, and later turns notify as ever")
    func laterReleases() {
        let player = rig.playingPlayer()
        let token = player.observe(\.rate, options: [.new]) { [log] _, change in log.add("rate \(change.newValue ?? -1) \(Self.place)") }
        elsewhere { [log] in
            Turn.perform { Turn.afterwards { [model = ViewModel(player, log)] in model.note("resumed") } }
        }
        #expect(log.log == ["resumed", "released 0.0 false", "rate 0.0 elsewhere"])
        log.clear()
        player.play()
        log.add("returned")
        #expect(log.log == ["rate 1.0 main", "returned"])
        _ = token
    }

    @Test("the block of a time observer that was removed by its token's release may hold the last reference of an object that pauses the player")
    func blockReleases() {
        let player = rig.playingPlayer()
        _ = player.addPeriodicTimeObserver(forInterval: ms(100)) { [model = ViewModel(player, log)] _ in model.note("called") }
        rig.advance(0.5)
        #expect(log.log == ["released 0.0 false"])
    }

    @Test("a handler may hold the last reference of an object whose deinit ends the same observation (R-KVO-05)")
    func handlerReleases() {
        let player = rig.playingPlayer()
        let token: NSKeyValueObservation
        do {
            let model = ViewModel(player, log)
            token = player.observe(\.volume) { [model] _, _ in model.note("called") }
            model.own(token)
        }
        token.invalidate()
        #expect(log.log == ["released 0.0 false"])
    }

    @Test("a handler whose observation another thread ends during a change is released without the lock (R-KVO-05)")
    func handlerReleasesDuringChange() {
        let player = rig.playingPlayer(), held = Held()
        held.add(player.observe(\.volume) { [model = ViewModel(player, log)] _, _ in model.note("called") })
        let token = player.observe(\.volume, options: [.prior]) { _, change in
            if change.isPrior { elsewhere { held.release() } }
        }
        player.volume = 0.5
        #expect(log.log == ["released 0.0 false"])
        _ = token
    }

    @Test("a publisher and a stream of values are made and cancelled on another thread (R-COMB-01)")
    func publisher() {
        let player = rig.player()
        elsewhere { [log] in
            let subscription = player.publisher(for: \.volume).sink { log.add("\($0) \(Self.place)") }
            player.volume = 0.5
            subscription.cancel()
            player.volume = 1
            _ = player.values(for: \.rate)
        }
        #expect(log.log == ["1.0 elsewhere", "0.5 elsewhere"])
    }

    @Test("the copies of a looper that was made on another thread follow each other (R-LOOP-01)")
    func looper() async throws {
        let player = rig.queue(), template = rig.item("a", seconds: 1), held = Held()
        _ = try await template.asset.load(.duration)
        elsewhere { [log] in
            let looper = AVPlayerLooper(player: player, templateItem: template)
            held.add(looper.observe(\.loopCount, options: [.new]) { looper, _ in log.add("\(looper.loopCount)") })
            held.add(looper)
            player.play()
        }
        rig.advance(3.5)
        #expect(log.log == ["1", "2", "3"])
        held.release()
    }

    @Test("no copy of a looper is lost if two have ended when the main queue runs (R-LOOP-01, R-LOOP-04)")
    func lateLooper() async throws {
        let player = rig.queue(), template = rig.item("a", seconds: 1)
        _ = try await template.asset.load(.duration)
        let looper = AVPlayerLooper(player: player, templateItem: template)
        player.play()
        rig.advance(0.5)
        for _ in 1...6 {
            // The current copy ends, and no timer has run when the other thread skips the next one.
            rig.clock.advance(by: 1.2)
            elsewhere { player.advanceToNextItem() }
            rig.run()
        }
        #expect(player.items().count == 3 && Set(player.items()) == Set(looper.loopingPlayerItems))
        #expect(looper.loopCount == 12 && player.rate == 1)
    }
}
