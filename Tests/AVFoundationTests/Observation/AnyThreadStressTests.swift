import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// Calls of several threads at once. The states that the players passed through must be those of one thread that made the calls one after the other.
@Suite("Many threads at once") @MainActor struct AnyThreadStressTests {
    let rig = ScriptedRig(canReverse: true)

    /// What one player decided, in order.
    private final class Decisions: Sendable {
        let all = Mutex<[ObjectIdentifier: [(PlaybackMachine.Event, PlaybackMachine)]]>([:])
    }

    /// The values of one observer, in order.
    private final class Values<Value: Equatable & Sendable>: Sendable {
        private let changes = Mutex<[(Value, Value)]>([])
        func add(_ change: NSKeyValueObservedChange<Value>) {
            guard let old = change.oldValue, let new = change.newValue else { return }
            changes.withLock { $0.append((old, new)) }
        }
        var count: Int { changes.withLock { $0.count } }
        var last: Value? { changes.withLock { $0.last?.1 } }
        /// Whether each change begins with the value with which the one before it ended.
        var isGapless: Bool { changes.withLock { changes in zip(changes, changes.dropFirst()).allSatisfy { $0.1 == $1.0 } } }
        /// Whether no change has two equal values.
        var areChanges: Bool { changes.withLock { changes in changes.allSatisfy { $0 != $1 } } }
    }

    private nonisolated static func call(
        _ player: AVQueuePlayer, _ session: AVAudioSession, _ makeItem: () -> AVPlayerItem, _ generator: inout SeededGenerator
    ) {
        let time = ms(Int64.random(in: 0...3_000, using: &generator))
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...1: player.play()
        case 2: player.pause()
        case 3: player.rate = Float.random(in: -2...2, using: &generator)
        case 4: player.playImmediately(atRate: 1)
        case 5: player.defaultRate = Float.random(in: 0.5...2, using: &generator)
        case 6: player.volume = Float.random(in: 0...1, using: &generator)
        case 7: player.isMuted.toggle()
        case 8: player.seek(to: time)
        case 9: player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { _ in }
        case 10...11: player.insert(makeItem(), after: nil)
        case 12: if let item = player.items().last { player.remove(item) }
        case 13: player.advanceToNextItem()
        case 14: player.replaceCurrentItem(with: makeItem())
        case 15: player.actionAtItemEnd = Bool.random(using: &generator) ? .advance : .pause
        case 16: player.currentItem?.forwardPlaybackEndTime = time
        case 17: player.currentItem?.seek(to: time)
        case 18: player.currentItem?.step(byCount: 1)
        case 19:
            let token = player.addPeriodicTimeObserver(forInterval: ms(100)) { _ in }
            player.removeTimeObserver(token)
        case 20: player.observe(\.currentItem?.status, options: [.initial, .prior, .new]) { _, _ in }.invalidate()
        case 21: try? session.setActive(Bool.random(using: &generator))
        case 22: session.handle(Bool.random(using: &generator) ? .interruptionBegan(.default) : .interruptionEnded(shouldResume: true))
        default:
            _ = (player.currentTime(), player.status, player.timeControlStatus, player.reasonForWaitingToPlay, player.rate)
            if let item = player.currentItem { _ = (item.currentTime(), item.duration, item.loadedTimeRanges, item.accessLog(), item.canPlayReverse) }
        }
    }

    @Test("the decisions of two players that eight threads command are those of one sequence of events, and no observer misses a change (R-KVO-04)")
    func stress() {
        let decisions = Decisions()
        let players = [rig.queue(), rig.queue()], session = rig.session, assets = (0..<4).map { rig.asset("\($0)", seconds: 2) }
        let machines = players.map { player in Turn.perform { player.machine } }
        let identities = players.map(ObjectIdentifier.init)
        Turn.perform {
            AVPlayer.record = { player, event, machine in
                let identity = ObjectIdentifier(player)
                if identities.contains(identity) { decisions.all.withLock { $0[identity, default: []].append((event, machine)) } }
            }
        }
        let rates = players.map { _ in Values<Float>() }, volumes = players.map { _ in Values<Float>() }
        var tokens: [NSKeyValueObservation] = []
        for (player, values) in zip(players, rates) { tokens.append(player.observe(\.rate, options: [.old, .new]) { values.add($1) }) }
        for (player, values) in zip(players, volumes) { tokens.append(player.observe(\.volume, options: [.old, .new]) { values.add($1) }) }
        let ended = Atomic<Int>(0), count = TestDepth.isThorough ? 20_000 : 300
        let threads = (0..<8).map { number in
            WorkerThread(name: "calls") {
                var generator = SeededGenerator(seed: UInt64(number))
                for step in 0..<count {
                    let asset = assets[step % assets.count]
                    Self.call(players[step % 2], session, { AVPlayerItem(asset: asset) }, &generator)
                }
                ended.add(1, ordering: .relaxed)
            }
        }
        // The engine's events, the timers and the virtual time belong to this thread.
        while ended.load(ordering: .relaxed) < threads.count { rig.advance(0.01) }
        for thread in threads { thread.join() }
        rig.advance(1)
        Turn.perform { AVPlayer.record = nil }
        for token in tokens { token.invalidate() }
        for (index, player) in players.enumerated() {
            var machine = machines[index]
            let recorded = decisions.all.withLock { $0[identities[index]] ?? [] }
            #expect(recorded.count > count)
            let firstWrong = recorded.firstIndex { event, after in
                _ = machine.handle(event)
                return machine != after
            }
            #expect(firstWrong == nil, "the state after an event is not the one that follows from the state before it")
            #expect(Turn.perform { player.machine } == machine)
            #expect(rates[index].count > 0 && rates[index].isGapless && rates[index].last == player.rate)
            #expect(volumes[index].areChanges)
            #expect(volumes[index].count > 0 && volumes[index].isGapless && volumes[index].last == player.volume)
            player.shutDown()
        }
    }
}
