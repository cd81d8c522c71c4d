import PlaybackEngine
import Testing

@testable import AVFoundation

@Suite("PlaybackMachine") struct PlaybackMachineTests {
    static let item = ItemID(rawValue: 1)
    static let enough = BufferLevel(seconds: 5, isEmpty: false, isFull: false, isLikelyToKeepUp: true)
    static let little = BufferLevel(seconds: 0.1, isEmpty: false, isFull: false, isLikelyToKeepUp: false)
    static let nothing = BufferLevel(seconds: 0, isEmpty: true, isFull: false, isLikelyToKeepUp: false)

    /// Returns a machine whose current item is ready and has the buffer level `buffer`; nil means that the level is unknown.
    static func ready(_ buffer: BufferLevel?, endAction: PlaybackMachine.EndAction = .pause, canReverse: Bool = false) -> PlaybackMachine {
        var machine = PlaybackMachine(endAction: endAction)
        _ = machine.handle(.itemChanged(.init(id: item, phase: .ready, canReverse: canReverse, buffer: buffer)))
        return machine
    }
    static func playing(endAction: PlaybackMachine.EndAction = .pause, waits: Bool = true) -> PlaybackMachine {
        var machine = ready(enough, endAction: endAction)
        _ = machine.handle(.automaticWaitingSet(waits))
        _ = machine.handle(.rateRequested(1))
        return machine
    }

    @Test("a stall changes the status to waiting and keeps the rate (R-TCS-04, section K 1)")
    func stallWaits() {
        var machine = Self.playing()
        _ = machine.handle(.bufferChanged(Self.item, Self.nothing))
        let effects = machine.handle(.underran)
        #expect(machine.rate == 1)
        #expect(machine.status == .waiting(.toMinimizeStalls))
        #expect(effects == [.setEngineRunning(false), .postStalled])
    }

    @Test("with automatic waiting off a stall pauses, with rate 0 and no reason (R-STALL-02, R-RDC-04, section K 1)")
    func stallPauses() {
        var machine = Self.playing(waits: false)
        _ = machine.handle(.bufferChanged(Self.item, Self.nothing))
        let effects = machine.handle(.underran)
        #expect(machine.rate == 0)
        #expect(machine.status == .paused)
        #expect(effects == [.setEngineRunning(false), .postRateDidChange(nil), .postStalled])
    }

    @Test("a stall ends when playback is likely to keep up (R-WAIT-03)")
    func stallEnds() {
        var machine = Self.playing()
        _ = machine.handle(.bufferChanged(Self.item, Self.nothing))
        _ = machine.handle(.underran)
        #expect(machine.handle(.bufferChanged(Self.item, Self.little)) == [])
        #expect(machine.handle(.bufferChanged(Self.item, Self.enough)) == [.setEngineRunning(true)])
        #expect(machine.status == .playing)
    }

    @Test("a full buffer ends waiting even if it is not likely to keep up (R-WAIT-03)")
    func fullIsEnough() {
        var machine = Self.ready(nil)
        _ = machine.handle(.rateRequested(1))
        _ = machine.handle(.bufferChanged(Self.item, BufferLevel(seconds: 1, isEmpty: false, isFull: true, isLikelyToKeepUp: false)))
        #expect(machine.status == .playing)
    }

    @Test("an underrun with a sufficient buffer is not a stall, because the engine is about to write")
    func underrunWithSufficientBuffer() {
        var machine = Self.playing()
        #expect(machine.handle(.underran) == [])
        #expect(machine.status == .playing)
    }

    @Test("a ready item with an empty buffer waits (R-STATUS-09, section K 2)")
    func readyIsNotBuffered() {
        var machine = Self.ready(Self.nothing)
        #expect(machine.handle(.rateRequested(1)) == [.postRateDidChange(.setRateCalled)])
        #expect(machine.status == .waiting(.toMinimizeStalls))
    }

    @Test("before the item is ready, the reason for waiting is evaluatingBufferingRate (R-WAIT-06)")
    func waitsForReady() {
        var machine = PlaybackMachine(endAction: .pause)
        _ = machine.handle(.itemChanged(.init(id: Self.item, phase: .loading)))
        _ = machine.handle(.rateRequested(1))
        #expect(machine.status == .waiting(.evaluatingBufferingRate))
        _ = machine.handle(.itemReady(Self.item, canReverse: false))
        #expect(machine.status == .waiting(.evaluatingBufferingRate))
        _ = machine.handle(.bufferChanged(Self.item, Self.little))
        #expect(machine.status == .waiting(.toMinimizeStalls))
    }

    @Test("play without an item waits with a reason, and starts by itself with an item (R-RATE-07, R-WAIT-04, section K 10)")
    func playWithoutItem() {
        var machine = PlaybackMachine(endAction: .pause)
        _ = machine.handle(.rateRequested(1))
        #expect(machine.rate == 1)
        #expect(machine.status == .waiting(.noItemToPlay))
        _ = machine.handle(.itemChanged(.init(id: Self.item, phase: .ready, buffer: Self.enough)))
        #expect(machine.status == .playing)
    }

    @Test("defaultRate and rate are independent (R-RATE-05, section K 9)")
    func defaultRate() {
        var machine = Self.playing()
        _ = machine.handle(.defaultRateSet(2))
        #expect(machine.rate == 1)
        _ = machine.handle(.rateRequested(0.5))
        #expect(machine.defaultRate == 2)
    }

    @Test("a rate change while playing takes effect at once, without a stop (R-RATE-09)")
    func rateWhilePlaying() {
        var machine = Self.playing()
        #expect(machine.handle(.rateRequested(2)) == [.setEngineRate(2), .postRateDidChange(.setRateCalled)])
        #expect(machine.status == .playing)
        #expect(machine.effectiveRate == 2)
    }

    @Test("setting the same rate is not a change (R-RATE-10)")
    func sameRate() {
        var machine = Self.playing()
        #expect(machine.handle(.rateRequested(1)) == [])
    }

    @Test("an unsupported rate becomes 0 with setRateFailed (R-RATE-08)", arguments: [33.0, -1, 0.01, 1e300])
    func unachievableRate(rate: Double) {
        var machine = Self.playing()
        #expect(machine.handle(.rateRequested(rate)) == [.setEngineRunning(false), .postRateDidChange(.setRateFailed)])
        #expect(machine.status == .paused)
    }

    @Test("a rate that the item does not support fails when the item becomes ready (R-RATE-08)")
    func reverseKnownLater() {
        var machine = PlaybackMachine(endAction: .pause)
        _ = machine.handle(.itemChanged(.init(id: Self.item, phase: .loading)))
        _ = machine.handle(.rateRequested(-1))
        #expect(machine.rate == -1)
        #expect(machine.handle(.itemReady(Self.item, canReverse: false)) == [.postRateDidChange(.setRateFailed)])
        #expect(machine.rate == 0)
    }

    @Test("a negative rate that was requested before there was an item is sent to the engine when the item is ready (R-RATE-07)")
    func reverseBeforeItem() {
        var machine = PlaybackMachine(endAction: .pause)
        #expect(machine.handle(.rateRequested(-1)) == [.postRateDidChange(.setRateCalled)])
        #expect(machine.handle(.itemChanged(.init(id: Self.item, phase: .loading))) == [])
        #expect(machine.handle(.itemReady(Self.item, canReverse: true)) == [.setEngineRate(-1)])
        #expect(machine.handle(.bufferChanged(Self.item, Self.enough)) == [.setEngineRunning(true)])
        #expect(machine.rate == -1)
    }

    @Test("a preroll before there is an item ends unprepared and does not reach the engine; its rate does when it is requested")
    func prerollBeforeItem() {
        var machine = PlaybackMachine(endAction: .pause)
        #expect(machine.handle(.prerollRequested(2)) == [.endPreroll(false)])
        _ = machine.handle(.itemChanged(.init(id: Self.item, phase: .ready, buffer: Self.enough)))
        #expect(machine.handle(.rateRequested(2)) == [.setEngineRate(2), .setEngineRunning(true), .postRateDidChange(.setRateCalled)])
    }

    @Test("with end action pause, the end sets rate 0 without a reason before didPlayToEnd (R-EOI-05, R-RDC-04)")
    func endPauses() {
        var machine = Self.playing()
        #expect(machine.handle(.endHeard) == [.setEngineRunning(false), .postRateDidChange(nil), .postDidPlayToEnd])
        #expect(machine.status == .paused)
    }

    @Test("play at the end has no effect before a seek (R-EOI-03, R-EOI-04, J-7)")
    func playAtEnd() {
        var machine = Self.playing()
        _ = machine.handle(.endHeard)
        #expect(machine.handle(.rateRequested(1)) == [])
        #expect(machine.rate == 0)
        _ = machine.handle(.seekBegan)
        _ = machine.handle(.seekEnded(moved: true))
        #expect(machine.rate == 0)
        #expect(machine.handle(.rateRequested(1)) == [.setEngineRunning(true), .postRateDidChange(.setRateCalled)])
    }

    @Test("with end action none, the end changes neither rate nor status, and time advances (R-EOI-01)")
    func endWithNone() {
        var machine = Self.playing(endAction: .none)
        #expect(machine.handle(.endHeard) == [.setEngineRunning(false), .countPastEnd, .postDidPlayToEnd])
        #expect(machine.status == .playing)
        #expect(machine.isPastEnd)
    }

    @Test("a change from end action none after the end takes effect at once (R-EOI-01)")
    func leavingNone() {
        var machine = Self.playing(endAction: .none)
        _ = machine.handle(.endHeard)
        #expect(machine.handle(.endActionSet(.pause)) == [.postRateDidChange(nil)])
        #expect(machine.status == .paused)
    }

    @Test("an end is reported once (R-NOTE-02)")
    func endOnce() {
        var machine = Self.playing(endAction: .none)
        _ = machine.handle(.endHeard)
        #expect(machine.handle(.endHeard) == [])
    }

    @Test("advancing to a joined item does not stop the device (R-QUEUE-06, R-QUEUE-10)")
    func advanceKeepsFlowing() {
        var machine = Self.playing(endAction: .advance)
        #expect(machine.handle(.endHeard) == [.postDidPlayToEnd, .advance])
        let effects = machine.handle(.itemChanged(.init(id: ItemID(rawValue: 2), phase: .ready, buffer: Self.enough), keepsFlowing: true))
        #expect(effects == [])
        #expect(machine.status == .playing)
    }

    @Test("advancing after the last item keeps the rate and waits for an item (R-QUEUE-08, J-8)")
    func advanceToNothing() {
        var machine = Self.playing(endAction: .advance)
        _ = machine.handle(.endHeard)
        #expect(machine.handle(.itemChanged(nil)) == [.setEngineRunning(false)])
        #expect(machine.rate == 1)
        #expect(machine.status == .waiting(.noItemToPlay))
    }

    @Test("replacing the item keeps the rate (R-REPL-02, section K 13)")
    func rateSurvivesReplacement() {
        var machine = Self.playing()
        _ = machine.handle(.itemChanged(.init(id: ItemID(rawValue: 2), phase: .loading)))
        #expect(machine.rate == 1)
        #expect(machine.status == .waiting(.evaluatingBufferingRate))
    }

    @Test("a seek keeps the rate and does not pause (R-SEEK-12, section K 13)")
    func rateSurvivesSeek() {
        var machine = Self.playing()
        _ = machine.handle(.seekBegan)
        #expect(machine.status == .playing)
        _ = machine.handle(.bufferChanged(Self.item, Self.nothing))
        _ = machine.handle(.seekEnded(moved: true))
        #expect(machine.handle(.underran) == [.setEngineRunning(false)], "an empty buffer after a seek is no stall")
        #expect(machine.rate == 1)
        #expect(machine.status == .waiting(.toMinimizeStalls))
    }

    @Test("playback does not start during a seek, so that the old position is not heard (R-ITEM-03)")
    func seekHoldsStart() {
        var machine = Self.ready(Self.enough)
        _ = machine.handle(.seekBegan)
        _ = machine.handle(.rateRequested(1))
        #expect(machine.status == .waiting(.toMinimizeStalls))
        #expect(machine.handle(.seekEnded(moved: true)) == [.setEngineRunning(true)])
    }

    @Test("if the item of a plain player fails, the rate becomes 0 with setRateFailed, and the failure is reported (R-WAIT-07, R-NOTE-03)")
    func failure() {
        var machine = Self.playing()
        #expect(
            machine.handle(.itemFailed(Self.item, isSkipped: false))
                == [.setEngineRunning(false), .postRateDidChange(.setRateFailed), .postFailedToPlayToEnd])
        #expect(machine.handle(.rateRequested(1)) == [.postRateDidChange(.setRateFailed)])
        #expect(machine.rate == 0)
    }

    @Test("a failed item of a queue is skipped and the rate stays (R-QUEUE-07)")
    func skippedFailure() {
        var machine = Self.playing(endAction: .advance)
        #expect(machine.handle(.itemFailed(Self.item, isSkipped: true)) == [.postFailedToPlayToEnd, .advance])
        #expect(machine.rate == 1)
    }

    @Test("switching automatic waiting off while waiting starts with the buffered frames (R-STALL-03, R-STALL-04)")
    func waitingOff() {
        var machine = Self.ready(Self.little)
        _ = machine.handle(.rateRequested(1))
        #expect(machine.status == .waiting(.toMinimizeStalls))
        #expect(machine.handle(.automaticWaitingSet(false)) == [.setEngineRunning(true)])
        #expect(machine.status == .playing)
    }

    @Test("with automatic waiting off the reason is never toMinimizeStalls (R-STALL-04)")
    func noReasonWithoutWaiting() {
        var machine = Self.ready(Self.nothing)
        _ = machine.handle(.automaticWaitingSet(false))
        _ = machine.handle(.rateRequested(1))
        #expect(machine.status == .waiting(.evaluatingBufferingRate))
    }

    @Test("playImmediately starts with the buffered frames (R-IMM-01)")
    func playImmediately() {
        var machine = Self.ready(Self.little)
        _ = machine.handle(.rateRequested(1, immediately: true))
        #expect(machine.status == .playing)
    }

    @Test("playImmediately with an empty buffer waits without a stall; with automatic waiting off it pauses (R-IMM-02)")
    func playImmediatelyEmpty() {
        var machine = Self.ready(Self.nothing)
        #expect(machine.handle(.rateRequested(1, immediately: true)) == [.postRateDidChange(.setRateCalled)])
        #expect(machine.status == .waiting(.toMinimizeStalls))
        var impatient = Self.ready(Self.nothing)
        _ = impatient.handle(.automaticWaitingSet(false))
        #expect(impatient.handle(.rateRequested(1, immediately: true)) == [])
        #expect(impatient.status == .paused)
    }

    @Test("an interruption pauses with its reason, and its end with shouldResume resumes playback (R-INT-06, R-RDC-08)")
    func interruption() {
        var machine = Self.playing()
        #expect(machine.handle(.interrupted) == [.setEngineRunning(false), .postRateDidChange(.audioSessionInterrupted)])
        #expect(machine.handle(.interruptionEnded(shouldResume: true)) == [.setEngineRunning(true), .postRateDidChange(.setRateCalled)])
        #expect(machine.handle(.rateRequested(1)) == [], "a further play by a client has no effect")
    }

    @Test("if the device is removed during an interruption, its end does not resume playback on another (R-ROUTE-03)")
    func routeLostInInterruption() {
        var machine = Self.playing()
        _ = machine.handle(.interrupted)
        #expect(machine.handle(.routeLost) == [])
        #expect(machine.handle(.interruptionEnded(shouldResume: true)) == [])
        #expect(machine.rate == 0)
    }

    @Test("an interruption while paused resumes nothing (R-INT-06)")
    func interruptionWhilePaused() {
        var machine = Self.ready(Self.enough)
        #expect(machine.handle(.interrupted) == [])
        #expect(machine.handle(.interruptionEnded(shouldResume: true)) == [])
        #expect(machine.rate == 0)
    }

    @Test("events of an item that is no longer current change nothing (R-STATUS-04)")
    func staleEvents() {
        var machine = Self.ready(nil)
        let before = machine
        _ = machine.handle(.bufferChanged(ItemID(rawValue: 9), Self.enough))
        _ = machine.handle(.itemReady(ItemID(rawValue: 9), canReverse: true))
        _ = machine.handle(.itemFailed(ItemID(rawValue: 9), isSkipped: false))
        #expect(machine == before)
    }
}
