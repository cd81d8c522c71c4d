import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("Seeking") @MainActor struct SeekTests {
    let rig = ScriptedRig()
    let log = Recorder()

    func ready() -> AVPlayer { rig.readyPlayer() }
    func seek(_ player: AVPlayer, _ milliseconds: Int64, _ label: String) {
        player.seek(to: ms(milliseconds), toleranceBefore: .zero, toleranceAfter: .zero) { [log] in log.add("\(label) \($0)") }
    }

    @Test("three seeks in succession complete false, false, true, in the order of the calls (R-SEEK-02, R-SEEK-05, section K 4)")
    func quick() {
        let player = ready()
        rig.engine.holdsSeeks = true
        seek(player, 1_000, "first")
        seek(player, 2_000, "second")
        seek(player, 3_000, "third")
        #expect(log.log == ["first false", "second false"])
        rig.engine.completeSeek()
        rig.run()
        #expect(log.log == ["first false", "second false", "third true"])
        #expect(player.currentTime() == ms(3_000))
    }

    @Test("a seek without an item completes with false at once (R-SEEK-04)")
    func withoutItem() {
        seek(rig.player(), 1_000, "seek")
        #expect(log.log == ["seek false"])
    }

    @Test("until a seek completes, currentTime is the old position (R-SEEK-11)")
    func oldTime() {
        let player = ready()
        rig.engine.holdsSeeks = true
        seek(player, 4_000, "seek")
        rig.run()
        #expect(player.currentTime() == .zero)
        rig.engine.completeSeek()
        rig.run()
        #expect(player.currentTime() == ms(4_000))
    }

    @Test("after an exact seek, currentTime is the time that was asked for, also between two frames (R-SEEK-11)")
    func betweenFrames() {
        let player = ready()
        let target = CMTime(value: 4_000_400, timescale: 1_000_000)
        player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        #expect(player.currentTime() == target)
        #expect(player.currentItem?.currentTime() == target)
        player.play()
        rig.advance(0.01)
        #expect(player.currentTime() == ms(4_010))
    }

    @Test("after a seek, currentTime is the landing, not the requested time (R-SEEK-01)")
    func landed() {
        let player = ready()
        rig.engine.holdsSeeks = true
        player.seek(to: ms(4_000)) { [log] in log.add("\($0)") }
        rig.engine.completeSeek(landed: ms(3_900))
        rig.run()
        #expect(player.currentTime() == ms(3_900))
        #expect(log.log == ["true"])
    }

    @Test("a plain seek has infinite tolerances, and a seek with zero tolerances is exact (R-SEEK-01)")
    func tolerances() {
        let player = ready()
        player.seek(to: ms(1_000))
        player.seek(to: ms(1_000), toleranceBefore: .zero, toleranceAfter: .zero)
        let requests = rig.engine.commands.compactMap { if case .seek(let request) = $0 { request } else { nil } }
        #expect(requests.map(\.toleranceBefore) == [.positiveInfinity, .zero])
        #expect(requests.map(\.toleranceAfter) == [.positiveInfinity, .zero])
    }

    @Test(
        "a seek outside the seekable range completes with false, and the position is unchanged (R-SEEK-08, R-SEEK-09)",
        arguments: [ms(10_001), ms(-1), .positiveInfinity, .negativeInfinity])
    func outside(time: CMTime) {
        let player = ready()
        player.seek(to: ms(500), toleranceBefore: .zero, toleranceAfter: .zero)
        rig.run()
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { [log] in log.add("\($0)") }
        rig.run()
        #expect(log.log == ["false"])
        #expect(player.currentTime() == ms(500))
    }

    @Test("a seek after the estimated end of a local file is performed, until the duration is exact (R-SEEK-22)")
    func estimatedEnd() {
        rig.add("file", ScriptedMedium(seconds: 10, isEstimated: true))
        let item = rig.item(of: "file"), player = rig.player(item)
        rig.run()
        seek(player, 11_000, "estimated")
        rig.engine.emit(.durationChanged(item.id, .exact(frames: 12_000, sampleRate: 1_000)))
        rig.run()
        seek(player, 12_001, "exact")
        #expect(log.log == ["estimated true", "exact false"])
    }

    @Test("a seek of an unseekable item completes with false, and its seekable range is empty")
    func unseekable() {
        rig.add("pipe", ScriptedMedium(seconds: 10, isSeekable: false))
        let item = rig.item(of: "pipe")
        let player = rig.player(item)
        rig.run()
        #expect(item.seekableTimeRanges.isEmpty)
        seek(player, 1_000, "seek")
        #expect(log.log == ["seek false"])
    }

    @Test("if the engine fails a seek, it completes with false, and the position is unchanged (R-SEEK-03)")
    func engineFails() {
        let player = ready()
        rig.engine.holdsSeeks = true
        seek(player, 1_000, "seek")
        rig.engine.failSeek()
        rig.run()
        #expect(log.log == ["seek false"])
        #expect(player.currentTime() == .zero)
    }

    @Test("cancelPendingSeeks completes with false, and a landing that still arrives changes the position (R-SEEK-19)")
    func cancelling() {
        let player = ready()
        rig.engine.holdsSeeks = true
        seek(player, 1_000, "seek")
        player.currentItem?.cancelPendingSeeks()
        #expect(log.log == ["seek false"])
        rig.engine.completeSeek()
        rig.run()
        #expect(player.currentTime() == ms(1_000))
        #expect(log.log == ["seek false"])
    }

    @Test("a landing that arrives after a newer seek began completes nothing (R-SEEK-03)")
    func lateLanding() {
        let player = ready()
        rig.engine.holdsSeeks = true
        seek(player, 1_000, "first")
        rig.engine.completeSeek()
        seek(player, 2_000, "second")
        rig.run()
        #expect(log.log == ["first false"])
        rig.engine.completeSeek()
        rig.run()
        #expect(log.log == ["first false", "second true"])
    }

    @Test("a seek while playing keeps the rate, and playback continues at the landing (R-SEEK-12)")
    func whilePlaying() {
        let player = ready()
        player.play()
        rig.advance(1)
        log.observeTransport(player)
        seek(player, 5_000, "seek")
        rig.advance(1)
        #expect(log.log == ["seek true"])
        #expect(player.currentTime() == ms(6_000))
    }

    @Test("a finished seek posts timeJumped before its completion, also while paused (R-SEEK-13, R-NOTE-05)")
    func timeJumped() throws {
        let player = ready()
        log.observeEnds(try #require(player.currentItem))
        seek(player, 5_000, "seek")
        rig.run()
        #expect(log.log == ["timeJumped", "seek true"])
    }

    @Test("an awaited seek returns whether it finished, and cancellation of the waiting task does not cancel it (R-SEEK-14, R-SEEK-20)")
    func awaited() async {
        let player = ready()
        rig.engine.holdsSeeks = true
        let first = Task { @MainActor in await player.seek(to: ms(1_000), toleranceBefore: .zero, toleranceAfter: .zero) }
        await Task.yield()
        first.cancel()
        rig.engine.completeSeek()
        rig.run()
        #expect(await first.value)
        #expect(player.currentTime() == ms(1_000))
        let second = Task { @MainActor in await player.seek(to: ms(2_000)) }
        await Task.yield()
        seek(player, 3_000, "third")
        #expect(await second.value == false)
    }

    @Test("with one seek in flight at a time, a chase ends at the newest target (R-SEEK-15)")
    func chasing() {
        let player = ready()
        rig.engine.holdsSeeks = true
        var wanted: Int64 = 1_000
        var isSeeking = false
        var landings: [Int64] = []
        func chase() {
            isSeeking = true
            let target = wanted
            player.seek(to: ms(target), toleranceBefore: .zero, toleranceAfter: .zero, allowsEstimate: false) { finished in
                isSeeking = false
                if finished { landings.append(target) }
                if wanted != target { chase() }
            }
        }
        chase()
        for next in stride(from: Int64(2_000), through: 9_000, by: 1_000) { wanted = next }
        rig.engine.completeSeek()
        rig.run()
        rig.engine.completeSeek()
        rig.run()
        #expect(landings == [1_000, 9_000])
        #expect(!isSeeking)
    }

    @Test("a seek to a date is refused for a medium without dates (R-SEEK-10)")
    func dates() {
        let player = ready()
        let begun = player.seek(to: Date(timeIntervalSince1970: 0)) { [log] finished in log.add("\(finished)") }
        #expect(!begun)
        #expect(log.log == ["false"])
    }

    @Test("after a seek the next item has its own time, whether it is joined or replaces the current one")
    func nextItem() {
        let player = rig.queue([rig.item("a"), rig.item("b", seconds: 2), rig.item("c")])
        player.play()
        rig.run()
        seek(player, 9_500, "seek")
        rig.advance(1)
        #expect(player.currentTime() == ms(500))
        seek(player, 1_000, "seek")
        rig.run()
        player.replaceCurrentItem(with: rig.item("d"))
        rig.advance(0.3)
        #expect(player.currentTime() == ms(300))
    }

    @Test("a seek near the end completes, and the end is reported once (R-QUEUE-11)")
    func nearTheEnd() throws {
        let player = ready()
        log.observeEnds(try #require(player.currentItem))
        player.play()
        rig.advance(1)
        seek(player, 9_990, "seek")
        rig.advance(1)
        #expect(log.log == ["timeJumped", "seek true", "didPlayToEnd"])
    }

    @Test("if a seek from the end fails, the item stays ended and play has no effect (R-EOI-04)")
    func failedFromEnd() {
        let player = rig.player(rig.item("a", seconds: 1))
        player.play()
        rig.advance(2)
        rig.engine.holdsSeeks = true
        seek(player, 0, "seek")
        player.play()
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        rig.engine.failSeek()
        rig.run()
        #expect(log.log == ["seek false"])
        #expect(player.rate == 0)
        player.play()
        #expect(player.rate == 0)
        #expect(player.currentTime() == ms(1_000))
    }

    @Test("step moves by frames of the medium and stays inside it (R-STEP-02)")
    func stepping() throws {
        let player = ready()
        let item = try #require(player.currentItem)
        item.step(byCount: 2)
        rig.run()
        #expect(player.currentTime() == ms(2_048))
        item.step(byCount: -5)
        rig.run()
        #expect(player.currentTime() == .zero)
        item.step(byCount: .max)
        item.step(byCount: 100)
        rig.run()
        #expect(player.currentTime() == ms(10_000))
    }

    @Test("after any sequence of seeks, landings, failures and replacements each seek has completed exactly once (R-SEEK-03)", arguments: 1...100)
    func exactlyOnce(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let player = ready()
        rig.engine.holdsSeeks = true
        var counts: [Int] = []
        var successes = 0
        for step in 0..<60 {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                let index = counts.count
                counts.append(0)
                let target = ms(Int64.random(in: -2_000...12_000, using: &generator))
                player.seek(to: target, toleranceBefore: .zero, toleranceAfter: .zero, allowsEstimate: false) { finished in
                    counts[index] += 1
                    if finished {
                        successes += 1
                        #expect(counts[..<index].allSatisfy { $0 == 1 }, "an older seek completes before a newer one")
                    }
                }
            case 3: rig.engine.completeSeek()
            case 4: rig.engine.failSeek()
            case 5: player.replaceCurrentItem(with: rig.item("item \(step)"))
            case 6: Bool.random(using: &generator) ? player.play() : player.pause()
            default: rig.advance(0.3)
            }
        }
        player.replaceCurrentItem(with: nil)
        rig.run()
        #expect(counts.allSatisfy { $0 == 1 })
        #expect(successes <= counts.count)
    }
}
