import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

/// Checks that programmer errors trap with a message that names the violated rule. Each error is made in a process of its own.
@Suite("Programmer errors") struct ProgrammerErrorTests {
    /// Whether a process that has trapped named the rule in its standard error.
    private func names(_ rule: String, _ result: ExitTest.Result?) -> Bool {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(rule)
    }

    @Test("adding one item to two players traps (R-ITEM-01)")
    func twoPlayers() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                let item = rig.item("a")
                let player = rig.player(item)
                _ = (player, rig.player(item))
            }
        }
        #expect(names("R-ITEM-01", result))
    }

    @Test("observing or reading a property that does not exist traps, as does removing an observer that is not registered (R-KVO-10)")
    func unknownNames() async {
        let reading = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { _ = ScriptedRig().player().value(forKey: "speed") }
        }
        #expect(names("“speed” is no observable property of AVPlayer", reading))
        let adding = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { ScriptedRig().player().addObserver(KeyValueObserver(), forKeyPath: "rate.speed", context: nil) }
        }
        #expect(names("R-KVO-10", adding))
        let removing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { ScriptedRig().player().removeObserver(KeyValueObserver(), forKeyPath: "rate") }
        }
        #expect(names("KeyValueObserver is not registered", removing))
    }

    @Test("adding an output to two items, or twice to one, traps (R-ITEM-10)")
    func twoItems() async {
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                let output = AVPlayerItemAudioOutput()
                let items = [rig.item("a"), rig.item("b")]
                for item in items { item.add(output) }
            }
        }
        #expect(names("R-ITEM-10", foreign))
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let output = AVPlayerItemAudioOutput()
                let item = ScriptedRig().item("a")
                item.add(output)
                item.add(output)
            }
        }
        #expect(names("R-ITEM-10", twice))
    }

    @Test("one item twice in a queue traps (R-QUEUE-01, R-QUEUE-04)")
    func twiceInQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                let item = rig.item("a")
                _ = rig.queue([item, item])
            }
        }
        #expect(names("R-QUEUE-04", result))
    }

    @Test("replacing the current item with a queued one traps (R-REPL-01)")
    func replacing() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                let items = [rig.item("a"), rig.item("b")]
                rig.queue(items).replaceCurrentItem(with: items[1])
            }
        }
        #expect(names("R-REPL-01", result))
    }

    @Test("end action advance of a plain player traps (R-EOI-01)")
    func advancing() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { ScriptedRig().player().actionAtItemEnd = .advance }
        }
        #expect(names("R-EOI-01", result))
    }

    @Test("a synchronized start with automatic waiting traps (R-SYNC-01)")
    func synchronizing() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { ScriptedRig().player().setRate(1, time: .zero, atHostTime: .zero) }
        }
        #expect(names("R-SYNC-01", result))
    }

    @Test("preroll traps while playing and before the player is ready (R-PREROLL-01)")
    func prerolling() async {
        let playing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                let player = rig.player(rig.item("a"))
                player.play()
                player.preroll(atRate: 1)
            }
        }
        #expect(names("R-PREROLL-01", playing))
        let unready = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { ScriptedRig().player().preroll(atRate: 1) }
        }
        #expect(names("R-PREROLL-01", unready))
    }

    @Test("a periodic observer with an interval that is not positive traps (R-PTO-10)")
    func interval() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { _ = ScriptedRig().player().addPeriodicTimeObserver(forInterval: .zero, queue: nil) { _ in } }
        }
        #expect(names("R-PTO-10", result))
    }

    @Test("a boundary observer without times traps (R-BTO-02, section K 8)")
    func boundaries() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { _ = ScriptedRig().player().addBoundaryTimeObserver(forTimes: [CMTime](), queue: nil) {} }
        }
        #expect(names("R-BTO-02", result))
    }

    @Test("removing a time observer of another player, or one twice, traps (R-RTO-03)")
    func removing() async {
        let foreign = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                let token = rig.player().addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 1), queue: nil) { _ in }
                rig.player().removeTimeObserver(token)
            }
        }
        #expect(names("R-RTO-03", foreign))
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let player = ScriptedRig().player()
                let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 1), queue: nil) { _ in }
                player.removeTimeObserver(token)
                player.removeTimeObserver(token)
            }
        }
        #expect(names("R-RTO-03", twice))
    }

    @Test("a seek to an invalid time or with an invalid tolerance traps, for players and items (R-SEEK-07)")
    func seeking() async {
        let indefinite = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { ScriptedRig().player().seek(to: .indefinite) }
        }
        #expect(names("R-SEEK-07", indefinite))
        let negative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                ScriptedRig().item("a").seek(to: .zero, toleranceBefore: CMTime(value: -1, timescale: 1), toleranceAfter: .zero)
            }
        }
        #expect(names("R-SEEK-07", negative))
    }

    @Test("looping an empty range traps (R-LOOP-03)")
    func looping() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let rig = ScriptedRig()
                _ = AVPlayerLooper(player: rig.queue(), templateItem: rig.item("a"), timeRange: CMTimeRange(start: .zero, duration: .zero))
            }
        }
        #expect(names("R-LOOP-03", result))
    }
}
