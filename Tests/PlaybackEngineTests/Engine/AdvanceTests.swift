import CoreMedia
import PlaybackTesting
import Testing

@testable import PlaybackEngine

/// Advances that meet other work: the next item is already heard, or is not open yet.
@Suite("Advance")
struct AdvanceTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)
    private let requests = [EngineRig.request(1, "a"), EngineRig.request(2, "b"), EngineRig.request(3, "c")]

    /// An engine that plays item a, of `frames` frames. Item b has `second` frames, and item c more than six seconds.
    private func rig(frames: Int64 = 300_000, second: Int64 = 300_000) -> EngineRig {
        let rig = EngineRig([
            "a": RampReader.Script(frames: frames), "b": RampReader.Script(frames: second, base: 1_000_000),
            "c": RampReader.Script(frames: 300_000, base: 2_000_000),
        ])
        rig.send(.load(requests[0]), .setRunning(true))
        return rig
    }

    private func seek(_ id: UInt64, _ item: ItemID) -> TestCommand {
        .seek(SeekRequest(id: id, item: item, time: CMTime(value: 200_000, timescale: 44_100)))
    }

    private func completedSeeks(_ rig: EngineRig) -> [UInt64] {
        rig.takeEvents().compactMap { if case .seekCompleted(let id, _, _, _) = $0 { id } else { nil } }
    }

    @Test("an advance to an item that is already heard leaves the item readable")
    func alreadyHeard() {
        let rig = rig(frames: 4410)
        rig.send(.setUpcoming([requests[1]], after: a))
        rig.play(frames: 5000)
        #expect(rig.now.item == b)
        rig.send(.advance)
        rig.send(seek(1, b))
        #expect(completedSeeks(rig) == [1])
        #expect((rig.play(frames: 20_000).last?.value ?? 0) > 1_210_000)
    }

    @Test("two advances before the next item is open play the item after it")
    func twice() {
        let rig = rig()
        rig.play(frames: 1000)
        rig.engine.holdOpens()
        rig.send(.setUpcoming(Array(requests[1...]), after: a))
        rig.send(.advance)
        rig.send(.advance)
        rig.engine.releaseOpens()
        rig.engine.settle()
        #expect((rig.play(frames: 20_000).last?.value ?? 0) > 2_000_000)
    }

    @Test("an order of an item that was removed and listed again waits until the item is open again")
    func listedAgain() {
        let rig = rig()
        rig.engine.send(.setUpcoming([requests[1]], after: a))
        rig.engine.stepEngine()
        // The feeder opens the item. The engine receives the notice only after the commands that follow.
        _ = rig.engine.step()
        _ = rig.engine.step()
        rig.engine.holdOpens()
        rig.engine.send(.setUpcoming([], after: a))
        rig.engine.send(.setUpcoming([requests[1]], after: a))
        rig.send(.advance)
        rig.send(seek(1, b))
        #expect(completedSeeks(rig) == [])
        rig.engine.releaseOpens()
        rig.engine.settle()
        #expect(completedSeeks(rig) == [1])
    }

    @Test("a seek in an item that could not be opened fails at once")
    func failed() {
        let rig = rig()
        rig.send(.load(EngineRig.request(9, "none")))
        rig.send(seek(1, ItemID(rawValue: 9)))
        #expect(rig.takeEvents().contains { if case .seekFailed(1, _, _) = $0 { true } else { false } })
    }

    @Test("an item removed behind a broken one is not heard")
    func removedBehindBroken() {
        var broken = RampReader.Script(frames: 60_000)
        broken.failsAt = 4410
        let rig = EngineRig(["a": broken, "b": RampReader.Script(frames: 300_000, base: 1_000_000)])
        rig.send(.load(requests[0]), .setUpcoming([requests[1]], after: a), .setRunning(true))
        rig.send(.setUpcoming([], after: a))
        #expect(rig.play(frames: 20_000).allSatisfy { $0.value < 4410 })
    }

    // MARK: A joined item that begins during a seek in its predecessor

    /// An engine that plays the last 1,100 frames of item a, to which item b is joined, while a seek in item a is pending.
    private func rigAtJoint(second: Int64 = 300_000, upcoming: ClosedRange<Int> = 1...2) -> EngineRig {
        let rig = rig(second: second)
        rig.send(.setUpcoming(Array(requests[upcoming]), after: a))
        rig.play(frames: 298_900)
        rig.engine.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 4410, timescale: 44_100))))
        rig.engine.stepEngine()
        return rig
    }

    /// Plays output frames while the reader blocks the feeder.
    private func playBlocked(_ rig: EngineRig, frames: Int) -> [Int] {
        rig.clock.advance(by: Double(frames) / 44_100)
        rig.sink.play(frames: frames)
        rig.engine.stepEngine()
        return rig.sink.takeHeard().map { Int($0.value) }
    }

    @Test("a joined item that begins before the seek in its predecessor has landed is played on, and the seek is cancelled (R-SEEK-03)")
    func beginsDuringSeek() {
        let rig = rigAtJoint()
        var heard = playBlocked(rig, frames: 2000)
        #expect(rig.now.item == b)
        rig.send(.setUpcoming([requests[2]], after: b))
        heard += rig.play(frames: 100_000).map { Int($0.value) }
        // The report of two long arrays that differ would take minutes.
        let isExact = heard == Array(298_900..<300_000) + Array(1_000_000..<1_100_900)
        #expect(isExact, "\(heard.count) frames, from \(heard.first ?? 0) to \(heard.last ?? 0)")
        let answers = rig.takeEvents().compactMap { if case .seekFailed(let id, _, let error) = $0 { (id, error.code) } else { nil } }
        #expect(answers.map(\.0) == [1] && answers.map(\.1) == [.cancelled])
    }

    @Test(
        "a joined item that is decoded to its end when it cancels the seek in its predecessor has its follower (R-SEEK-03)", arguments: [false, true])
    func beginsShort(_ opensLate: Bool) {
        let rig = rigAtJoint(second: 20_000, upcoming: 1...1)
        _ = playBlocked(rig, frames: 2000)
        #expect(rig.now.item == b)
        if opensLate { rig.engine.holdOpens() }
        rig.send(.setUpcoming([requests[2]], after: b))
        var heard = rig.play(frames: 30_000).map { Int($0.value) }
        rig.engine.releaseOpens()
        rig.engine.settle()
        heard += rig.play(frames: 30_000).map { Int($0.value) }
        let second = heard.filter { $0 >= 1_000_000 && $0 < 2_000_000 }, third = heard.filter { $0 >= 2_000_000 }
        let isSecond = second == Array(1_000_900..<1_020_000), isThird = third == Array(2_000_000..<(2_000_000 + third.count))
        #expect(isSecond && isThird && third.count > 20_000 && second.count + third.count == heard.count)
    }

    @Test("if the seek lands after the joined item was heard, the joined item begins again (R-SEEK-03)")
    func landsAfterBeginning() {
        let rig = rigAtJoint()
        _ = playBlocked(rig, frames: 2000)
        #expect(rig.now.item == b)
        rig.engine.settle()
        #expect(completedSeeks(rig) == [1])
        rig.send(.setUpcoming([requests[2]], after: b))
        #expect(rig.now.item == b)
        let heard = rig.play(frames: 310_000).map { Int($0.value) }
        let isExact = heard.filter { $0 >= 1_000_000 }.prefix(300_001) == (1_000_000..<1_300_000) + [2_000_000]
        #expect(isExact)
    }
}
