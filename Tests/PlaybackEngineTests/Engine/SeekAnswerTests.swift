import CoreMedia
import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// Each seek that the engine receives has one event, whatever happens at the same time: other commands, the end of an item, a lost device, media that
/// open late.
@Suite("Seeks are answered")
struct SeekAnswerTests {
    private static let seed = UInt64(ProcessInfo.processInfo.environment["TONEARM_WALK_SEED"] ?? "") ?? 20_261_123
    private static let commands = Int(ProcessInfo.processInfo.environment["TONEARM_WALK_COMMANDS"] ?? "") ?? 1500

    /// The seeks that were sent, and the number of events of each.
    private struct Ledger {
        private(set) var answers: [UInt64: Int] = [:]
        private(set) var newest: UInt64 = 0

        mutating func next() -> UInt64 {
            newest += 1
            answers[newest] = 0
            return newest
        }
        mutating func take(_ events: [EngineEvent]) {
            for event in events {
                switch event {
                case .seekCompleted(let id, _, _, _), .seekFailed(let id, _, _): answers[id, default: 0] += 1
                default: break
                }
            }
        }
        var faults: [UInt64: Int] { answers.filter { $0.value != 1 } }
    }

    @Test("after any commands each seek has one event, as soon as all media are open (seeded)")
    func walk() {
        var random = SeededGenerator(seed: Self.seed)
        var lengths: [String: Int64] = [:]
        var scripts: [String: RampReader.Script] = [:]
        for (index, frames) in [0, 900, 5000, 12_000, 40_000, 300_000].enumerated() {
            var script = RampReader.Script(frames: Int64(frames), base: Float(index + 1) * 1_000_000)
            script.blockSize = [64, 1000, 4096][index % 3]
            if index == 4 { script.failsAt = 30_000 }
            scripts["m\(index)"] = script
            lengths["m\(index)"] = Int64(frames)
        }
        let rig = EngineRig(scripts)
        var ledger = Ledger()
        var history: [String] = []
        var nextID: UInt64 = 1
        var known: [LoadRequest] = []
        /// The items that were current. A player does not list them again.
        var current: Set<ItemID> = []
        func request() -> LoadRequest {
            // Number 6 cannot be opened.
            defer { nextID += 1 }
            let request = EngineRig.request(nextID, "m\(Int.random(in: 0...6, using: &random))")
            known.append(request)
            return request
        }
        func act() {
            let heard = rig.now.item ?? ItemID(rawValue: nextID - 1)
            current.insert(heard)
            switch Int.random(in: 0..<16, using: &random) {
            case 0:
                let request = request()
                history.append("load \(request.item.rawValue)")
                rig.engine.send(.load(request))
            case 1:
                history.append("stop")
                rig.engine.send(.setRunning(false))
            case 2, 3:
                history.append("run")
                rig.engine.send(.setRunning(true))
            case 4:
                let rate: Double = [-1, 0.5, 1, 1, 1, 1.25, 2].randomElement(using: &random) ?? 1
                history.append("rate \(rate)")
                rig.engine.send(.setRate(rate))
            case 5, 6:
                // New items, and items that were listed before.
                let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Bool.random(using: &random) ? known.suffix(4).randomElement(using: &random) ?? request() : request()
                }
                var seen = current
                let requests = list.filter { seen.insert($0.item).inserted }
                history.append("upcoming \(requests.map(\.item.rawValue)) after \(heard.rawValue)")
                rig.engine.send(.setUpcoming(requests, after: heard))
            case 7:
                history.append("advance")
                rig.engine.send(.advance)
            case 8, 9, 10, 11:
                let item = Int.random(in: 0..<4, using: &random) == 0 ? known.last?.item ?? heard : heard
                let length = known.first { $0.item == item }.flatMap { request -> Int64? in
                    if case .file(let path) = request.source.location { lengths[path.text] } else { nil }
                }
                let target = Int64.random(in: 0...((length ?? 0) + 500), using: &random)
                let id = ledger.next()
                history.append("seek \(id) item \(item.rawValue) to \(target)")
                rig.engine.send(.seek(SeekRequest(id: id, item: item, time: CMTime(value: target, timescale: 44_100))))
            case 12:
                history.append("output")
                if rig.sink.isOpen { rig.sink.lose() } else { rig.engine.send(.open(rig.sink)) }
            case 13:
                let start = Int64.random(in: 0..<4000, using: &random)
                // A range without frames is no loop.
                let length: Int64 = Bool.random(using: &random) ? 4000 : 0
                history.append("loop \(start) of \(length)")
                rig.engine.send(
                    .setLoop(
                        LoopRange(start: CMTime(value: start, timescale: 44_100), end: CMTime(value: start + length, timescale: 44_100)), heard))
            case 14:
                history.append("crossfade")
                rig.engine.send(.setCrossfade([0, 0, 0.02, 0.05].randomElement(using: &random) ?? 0))
            default:
                history.append("hold opens")
                rig.engine.holdOpens()
            }
        }
        for step in 0..<Self.commands {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                act()
                switch Int.random(in: 0..<4, using: &random) {
                case 0: rig.engine.stepEngine()
                case 1: _ = rig.engine.step()
                case 2:
                    history.append("play")
                    rig.play(frames: Int.random(in: 0..<3000, using: &random), quantum: 300)
                default: break
                }
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                history.append("settle")
                rig.engine.releaseOpens()
                rig.engine.settle()
                ledger.take(rig.takeEvents())
                guard ledger.faults.isEmpty else {
                    Issue.record("step \(step): seeks without one event \(ledger.faults), after \(history.suffix(30))")
                    return
                }
            } else {
                ledger.take(rig.takeEvents())
            }
        }
        #expect(ledger.newest > UInt64(Self.commands / 4))
    }
}
