import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("PlaybackMachine under random events") struct PlaybackMachinePropertyTests {
    static func event(_ generator: inout SeededGenerator) -> PlaybackMachine.Event {
        let id = ItemID(rawValue: UInt64.random(in: 1...2, using: &generator))
        let flags = (Bool.random(using: &generator), Bool.random(using: &generator), Bool.random(using: &generator))
        let level = BufferLevel(seconds: 1, isEmpty: flags.0 && !flags.1 && !flags.2, isFull: flags.1, isLikelyToKeepUp: flags.2)
        func item() -> PlaybackMachine.Item {
            let phase: PlaybackMachine.Item.Phase = [.loading, .ready, .failed].randomElement(using: &generator) ?? .ready
            return PlaybackMachine.Item(id: id, phase: phase, canReverse: flags.0, buffer: flags.1 ? level : nil)
        }
        switch Int.random(in: 0..<25, using: &generator) {
        case 0, 1: return .rateRequested([0, 1, 2, 0.5, -1, 99, .infinity].randomElement(using: &generator) ?? 1, immediately: flags.0)
        case 2: return .rateRequested(1)
        case 3: return .defaultRateSet(2)
        case 4: return .automaticWaitingSet(flags.0)
        case 5: return .endActionSet([.advance, .pause, .none].randomElement(using: &generator) ?? .pause)
        case 6: return .itemChanged(nil, keepsFlowing: flags.0)
        case 7, 8: return .itemChanged(item(), keepsFlowing: flags.2)
        case 9: return .itemReady(id, canReverse: flags.0)
        case 10: return .itemFailed(id, isSkipped: flags.0)
        case 11, 12: return .bufferChanged(id, level)
        case 13: return .seekBegan
        case 14: return .seekEnded(moved: flags.0)
        case 15: return .underran
        case 16: return .endHeard
        case 17: return .interrupted
        case 18: return .interruptionEnded(shouldResume: flags.0)
        case 19, 20: return .prerollRequested([1, 2, -1, 99].randomElement(using: &generator) ?? 1)
        case 21: return .prerollCancelled
        case 22: return .heldRateRequested([1, 2, -1].randomElement(using: &generator) ?? 1)
        case 23: return .letGo
        default: return flags.0 ? .routeLost : .outputFailed
        }
    }

    @Test("paused, waiting and playing hold their invariants after every event (R-TCS-02, R-TCS-05, R-WAIT-01)", arguments: 1...200)
    func invariants(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = PlaybackMachine(endAction: .pause)
        for _ in 0..<500 {
            // After the effect `advance`, the player sends the event `itemChanged` in the same turn; here without a next item.
            if machine.handle(Self.event(&generator)).contains(.advance) { _ = machine.handle(.itemChanged(nil)) }
            switch machine.status {
            case .paused: #expect(machine.rate == 0 && machine.effectiveRate == 0)
            case .waiting(let reason):
                #expect(machine.rate != 0 && machine.effectiveRate == 0)
                #expect((reason == .noItemToPlay) == (machine.item == nil))
                #expect(reason != .toMinimizeStalls || machine.waitsAutomatically)
            case .playing:
                #expect(machine.rate != 0 && machine.effectiveRate != 0)
                #expect(machine.item?.phase == .ready)
            }
            #expect(machine.rate == 0 || PlaybackMachine.achievableRates.contains(abs(machine.rate)))
        }
    }

    @Test("the engine runs exactly while the machine is flowing, and its changes alternate", arguments: 1...200)
    func engineCommands(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = PlaybackMachine(endAction: .pause)
        var isRunning = false
        for _ in 0..<500 {
            var effects = machine.handle(Self.event(&generator))
            // After the effect `advance`, the player sends the event `itemChanged`, with the next item or without one.
            while effects.contains(.advance) {
                for case .setEngineRunning(let running) in effects { isRunning = running }
                effects = machine.handle(.itemChanged(nil))
            }
            for case .setEngineRunning(let running) in effects {
                #expect(running != isRunning)
                isRunning = running
            }
            #expect(isRunning == (machine.isFlowing && !machine.isPastEnd))
        }
    }

    @Test("every change of the requested rate is reported exactly once (R-RDC-01)", arguments: 1...200)
    func rateChanges(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = PlaybackMachine(endAction: .pause)
        for _ in 0..<500 {
            let before = machine.rate
            let effects = machine.handle(Self.event(&generator))
            let told = effects.filter { if case .postRateDidChange = $0 { true } else { false } }
            if machine.rate != before {
                #expect(told.count == 1)
            } else {
                #expect(told.isEmpty || told == [.postRateDidChange(.setRateFailed)])
            }
        }
    }

    @Test("every preroll ends exactly once, with true only if the item is ready and buffered (R-PREROLL-01)", arguments: 1...200)
    func prerolls(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = PlaybackMachine(endAction: .pause)
        var isOpen = false
        for _ in 0..<500 {
            let event = Self.event(&generator)
            var events = [event]
            // As the player does: a new preroll cancels the pending one, and is requested only at rate 0.
            if case .prerollRequested = event { events = machine.rate == 0 ? [.prerollCancelled, event] : [] }
            for event in events {
                if case .prerollRequested = event { isOpen = true }
                for case .endPreroll(let isPrimed) in machine.handle(event) {
                    #expect(isOpen)
                    isOpen = false
                    guard isPrimed else { continue }
                    #expect(machine.item?.phase == .ready && machine.item?.isSufficient == true && machine.item?.isSeeking == false)
                }
                #expect(isOpen == (machine.preroll != nil))
            }
        }
    }

    @Test("a held start does not flow before it is released, whatever other events occur (R-SYNC-02)", arguments: 1...200)
    func holding(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var machine = PlaybackMachine(endAction: .pause)
        for _ in 0..<500 {
            _ = machine.handle(Self.event(&generator))
            if machine.isHeldBack { #expect(!machine.isFlowing && machine.rate != 0) }
        }
    }
}
