import CoreMedia
@testable import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("The engine: estimated positions that become exact (R-SEEK-24)")
struct CorrectedPositionTests: RampPlaying {
    /// A switch that a script's closure reads.
    private final class Switch: Sendable {
        private let state = Mutex(false)
        var isOn: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    private static let target = CMTime(value: 1_000_000, timescale: 44_100)

    /// Returns a rig that plays at an estimated position, and the switch that makes the reader's positions exact.
    private func estimated(
        error: Int64, frames: Int64 = 4_000_000, estimatesBetter: @escaping @Sendable () -> Bool = { false }
    ) -> (rig: EngineRig, tie: Switch) {
        let tie = Switch()
        var script = RampReader.Script(frames: frames, blockSize: 8192)
        (script.estimatesSeeks, script.estimateError, script.becomesExact) = (true, error, { tie.isOn })
        script.estimatesBetter = estimatesBetter
        let rig = playing(["a": script])
        rig.play(frames: 1000)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: Self.target, allowsEstimate: true)))
        rig.play(frames: 10_000)
        _ = rig.takeEvents()
        return (rig, tie)
    }

    /// Plays until the engine reports a correction, and returns what was heard and the corrections.
    private func playUntilCorrected(_ rig: EngineRig) -> (heard: [Int], corrections: [Int64]) {
        var heard: [Int] = [], corrections: [Int64] = []
        for _ in 0..<2000 where corrections.isEmpty {
            heard += values(rig.play(frames: 441))
            corrections += self.corrections(rig.takeEvents())
        }
        return (heard, corrections)
    }

    private func corrections(_ events: [EngineEvent]) -> [Int64] {
        events.compactMap { if case .positionsCorrected(a, let time, _, true) = $0 { time.value } else { nil } }
    }

    /// The number of the frame that is heard next, minus the position.
    private func error(_ rig: EngineRig) -> Int64 {
        let heard = values(rig.play(frames: 441))
        return Int64(heard.last ?? 0) + 1 - rig.now.time.value
    }

    @Test("the audio continues unbroken, and the heard position becomes the exact one", arguments: [30_000, -30_000, 7] as [Int64])
    func unbroken(_ error: Int64) {
        let (rig, tie) = estimated(error: error)
        #expect(self.error(rig) == error)
        tie.isOn = true
        let (heard, corrections) = playUntilCorrected(rig)
        #expect(corrections == [error])
        let all = heard + values(rig.play(frames: 100_000))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 + 1 == $1 })
        #expect(self.error(rig) == 0)
    }

    @Test("the flag is false after the correction, and only then")
    func flag() {
        let (rig, tie) = estimated(error: 5000)
        tie.isOn = true
        var order: [String] = []
        for _ in 0..<2000 where order.isEmpty {
            rig.play(frames: 441)
            order = rig.takeEvents().compactMap { event in
                switch event {
                case .positionsCorrected: "corrected"
                case .positionEstimated(_, let isEstimated): "\(isEstimated)"
                default: nil
                }
            }
        }
        #expect(order == ["corrected", "false"])
    }

    @Test("a correction is one event, so that no position is exact without its reason")
    func oneEvent() {
        let (rig, tie) = estimated(error: 5000)
        tie.isOn = true
        var events: [EngineEvent] = []
        for _ in 0..<2000 where corrections(events).isEmpty {
            rig.play(frames: 441)
            events = rig.takeEvents()
        }
        #expect(corrections(events) == [5000])
        #expect(!events.contains { if case .timelineChanged = $0 { true } else { false } })
    }

    @Test("a better estimate corrects the position and the loop, the audio continues unbroken, and a tie corrects the rest (R-SEEK-25)")
    func betterEstimate() throws {
        let better = Switch(), error: Int64 = 40_000, (rig, tie) = estimated(error: error) { better.isOn }
        let start: Int64 = 1_400_000, end: Int64 = 1_800_000
        var range = try #require(LoopRange(start: CMTime(value: start, timescale: 44_100), end: CMTime(value: end, timescale: 44_100)))
        range.isEstimated = true
        rig.send(.setLoop(range, a))
        better.isOn = true
        var flags: [Bool] = [], corrections: [Int64] = [], heard: [Int] = []
        func note(_ events: [EngineEvent]) {
            for case .positionsCorrected(a, let time, let isExact, true) in events {
                (flags, corrections) = (flags + [isExact], corrections + [time.value])
            }
            #expect(!isCalledExact(events) || tie.isOn)
        }
        for _ in 0..<2000 where corrections.isEmpty {
            heard += values(rig.play(frames: 441))
            note(rig.takeEvents())
        }
        #expect(corrections == [error / 2] && flags == [false])
        #expect(self.error(rig) == error / 2)
        heard = values(rig.play(frames: 441))
        tie.isOn = true
        for _ in 0..<2000 where corrections.count == 1 {
            heard += values(rig.play(frames: 441))
            note(rig.takeEvents())
        }
        #expect(corrections == [error / 2, error / 2] && flags == [false, true])
        heard += values(rig.play(frames: 900_000, quantum: 4410))
        let turns = zip(heard, heard.dropFirst()).filter { $0 + 1 != $1 }
        #expect(turns.first.map { $0.0 } == Int(end) - 1 + Int(error) && turns.first.map { $0.1 } == Int(start) + Int(error))
    }

    private func isCalledExact(_ events: [EngineEvent]) -> Bool {
        events.contains { if case .positionEstimated(_, false) = $0 { true } else { false } }
    }

    @Test("positions that were right become exact without a correction")
    func noError() {
        let (rig, tie) = estimated(error: 0)
        tie.isOn = true
        var flags: [Bool] = []
        for _ in 0..<2000 where flags.isEmpty {
            rig.play(frames: 441)
            let events = rig.takeEvents()
            #expect(corrections(events) == [])
            flags = events.compactMap { if case .positionEstimated(_, let isEstimated) = $0 { isEstimated } else { nil } }
        }
        #expect(flags == [false])
    }

    @Test("audio that is rendered again after the correction is that of the same position", arguments: [20_000, -20_000] as [Int64])
    func renderedAgain(_ error: Int64) {
        let (rig, tie) = estimated(error: error)
        tie.isOn = true
        _ = playUntilCorrected(rig)
        for rate in [2.0, 1] {
            rig.send(.setRate(rate))
            rig.play(frames: 2000)
        }
        #expect(self.error(rig) == 0)
        let heard = values(rig.play(frames: 60_000))
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 + 1 == $1 })
    }

    @Test("a loop that was set at estimated positions moves with its audio, another one does not", arguments: [true, false])
    func loop(_ isEstimated: Bool) throws {
        let error: Int64 = 20_000, (rig, tie) = estimated(error: error)
        let start: Int64 = 1_400_000, end: Int64 = 1_800_000
        var range = try #require(LoopRange(start: CMTime(value: start, timescale: 44_100), end: CMTime(value: end, timescale: 44_100)))
        range.isEstimated = isEstimated
        rig.send(.setLoop(range, a))
        tie.isOn = true
        let first = playUntilCorrected(rig).heard
        let heard = first + values(rig.play(frames: 900_000, quantum: 4410))
        let turns = zip(heard, heard.dropFirst()).filter { $0 + 1 != $1 }
        let shift = isEstimated ? Int(error) : 0
        #expect(turns.first.map { $0.0 } == Int(end) - 1 + shift)
        #expect(turns.first.map { $0.1 } == Int(start) + shift)
    }

    @Test("an order that continues audio of the former numbers is corrected if the engine has not received the correction")
    func missed() {
        var corrections = MissedCorrections(), order = FeedOrder(generation: 2, item: a, position: 100, format: .compactDisc)
        #expect(corrections.correct(&order, generation: 1, untaken: 7) == 0 && order.position == 100)
        (order.generation, order.base) = (3, 1)
        #expect(corrections.correct(&order, generation: 2, untaken: 5) == 7 && order.position == 107)
        corrections.keep(7, of: order)
        (order.generation, order.position, order.base) = (4, 100, 3)
        #expect(corrections.correct(&order, generation: 2, untaken: 5) == 7)
        (order.position, order.base) = (100, 2)
        #expect(corrections.correct(&order, generation: 2, untaken: 5) == 5 && order.position == 105)
    }
}
