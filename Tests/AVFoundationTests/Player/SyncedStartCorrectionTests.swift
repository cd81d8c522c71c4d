import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

/// Tests the corrections of a start that is bound to the host clock (R-SYNC-02), if each correction misses the time by another error.
@Suite("Corrections of a start bound to the host clock") @MainActor struct SyncedStartCorrectionTests {
    private let environment = ScriptedRig().environment
    private let host = HostTime(seconds: 100)

    /// Reports position errors, in seconds, to one start, one after the other. Returns for each error whether the start corrected it.
    private func corrected(_ errors: [Double]) -> [Bool] {
        Turn.perform {
            let start = SyncedStart()
            start.begin(SyncedStart.Goal(item: ItemID(rawValue: 1), time: CMTime(value: 5, timescale: 1), host: host, rate: 1))
            return errors.enumerated().map { number, error in
                let now = host + 0.01 * Double(number)
                let correction = start.correction(at: 5 + (now - host) + error, now, now: now) {
                    TurnTimer.start(at: $0, in: environment, for: start) {}
                }
                return correction != nil
            }
        }
    }

    @Test("a start is corrected until it is within 5 ms, although six corrections miss (R-SYNC-02)")
    func goesOn() {
        #expect(corrected([-0.006, -0.014, 0.008, -0.010, 0.007, -0.006, 0.002]) == [true, true, true, true, true, true, false])
    }

    @Test("if no correction succeeds, the corrections stop after a limited number (R-SYNC-02)")
    func ends() {
        let moved = corrected([Double](repeating: -0.010, count: 50))
        #expect(moved.prefix(4).allSatisfy { $0 })
        #expect(!moved.suffix(40).contains(true))
    }
}
