import CoreMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Random walk of commands")
struct RandomWalkTests {
    /// The length of the longest crossfade in these tests, in frames.
    private let overlap = 2205.0

    /// Compares each heard frame with the frame of the medium at the timeline's position, which must be inside the item. Returns a description of the
    /// first difference; nil if there is none.
    private func check(_ heard: [CaptureSink.Heard], against timeline: Timeline, bases: [ItemID: Float], lengths: [ItemID: Int64]) -> String? {
        for sample in heard {
            guard let segment = timeline.segment(at: sample.frame) else { return "frame \(sample.frame) has no segment" }
            let media = segment.mediaFrame(at: sample.frame)
            let base = bases[segment.item] ?? .nan
            let got = Double(sample.value - base)
            // If two items join with time stretching, the frame at the boundary may belong to either item.
            if sample.frame == segment.start, segment.rate != 1 { continue }
            let tolerance = 1.01 * max(1, abs(segment.rate))
            // In a crossfade the beginning of an item is mixed with the end of the preceding one, so these frames are not compared.
            if media < overlap + tolerance { continue }
            // In reverse playback the frame that is heard at a position is the one before that position.
            if abs(got - (segment.rate < 0 ? media - 1 : media.rounded(.down))) > tolerance {
                return "frame \(sample.frame) of item \(segment.item.rawValue) holds \(got), the timeline says \(media)"
            }
            if media > Double(lengths[segment.item] ?? 0) { return "frame \(sample.frame) is beyond the end of its item" }
        }
        return nil
    }

    @Test("after any commands audio and timeline agree, and no output frame is repeated")
    func walks() {
        let environment = ProcessInfo.processInfo.environment
        let commands = Int(environment["TONEARM_WALK_COMMANDS"] ?? "") ?? 1500
        var random = SeededGenerator(seed: UInt64(environment["TONEARM_WALK_SEED"] ?? "") ?? 20_261_120)
        var scripts: [String: RampReader.Script] = [:]
        var bases: [ItemID: Float] = [:]
        var lengths: [ItemID: Int64] = [:]
        for index in 0..<8 {
            var script = RampReader.Script(frames: Int64([900, 5000, 40_000, 300_000][index % 4]), base: Float(index + 1) * 1_000_000)
            script.blockSize = [64, 1000, 4096][index % 3]
            scripts["m\(index)"] = script
        }
        let rig = EngineRig(scripts)
        var nextID: UInt64 = 1
        func request() -> LoadRequest {
            let medium = Int.random(in: 0..<8, using: &random)
            defer { nextID += 1 }
            let id = ItemID(rawValue: nextID)
            bases[id] = scripts["m\(medium)"]!.base
            lengths[id] = scripts["m\(medium)"]!.frames
            return EngineRig.request(nextID, "m\(medium)")
        }
        var upcoming: [LoadRequest] = []
        var seekID: UInt64 = 0
        var lastFrame: Int64 = -1
        var trouble: String?
        var history: [Int] = []
        for step in 0..<commands {
            let choice = Int.random(in: 0..<12, using: &random)
            history.append(choice)
            switch choice {
            case 0:
                upcoming = []
                rig.send(.load(request()))
            case 1: rig.send(.setRunning(false))
            case 2, 3: rig.send(.setRunning(true))
            case 4: rig.send(.setRate([-1, 0.5, 1, 1, 1, 1.25, 2].randomElement(using: &random)!))
            case 5:
                upcoming = (0..<Int.random(in: 0...3, using: &random)).map { _ in request() }
                rig.send(.setUpcoming(upcoming, after: rig.now.item ?? ItemID(rawValue: nextID - 1)))
            case 6:
                upcoming.append(request())
                rig.send(.setUpcoming(upcoming, after: rig.now.item ?? ItemID(rawValue: nextID - 1)))
            case 7: rig.send(.advance)
            case 8, 9:
                if let item = rig.now.item {
                    seekID += 1
                    let target = Int64.random(in: 0...(lengths[item] ?? 1), using: &random)
                    rig.send(.seek(SeekRequest(id: seekID, item: item, time: CMTime(value: target, timescale: 44_100))))
                }
            case 10:
                if Int.random(in: 0..<4, using: &random) == 0 { rig.sink.isOpen ? rig.sink.lose() : rig.send(.open(rig.sink)) }
                rig.engine.settle()
            default: rig.send(.setCrossfade([0, 0, 0.02, 0.05].randomElement(using: &random)!))
            }
            let heard = rig.play(frames: Int.random(in: 0..<3000, using: &random), quantum: 300)
            // After a command, three phases of 5 ms are possible in which frames are changed: a fade-out, a lead-in and a fade-in. They are skipped.
            let steady = heard.drop { $0.frame < (heard.first?.frame ?? 0) + 3 * 221 }
            if let first = heard.first, first.frame <= lastFrame { trouble = "output frame \(first.frame) is repeated after \(lastFrame)" }
            lastFrame = heard.last?.frame ?? lastFrame
            if let found = check(Array(steady), against: rig.engine.clock.timeline, bases: bases, lengths: lengths) { trouble = found }
            if let trouble {
                Issue.record("step \(step): \(trouble); \(history.suffix(6)); \(rig.engine.clock.timeline)")
                return
            }
        }
        #expect(lastFrame > 0)
    }
}
