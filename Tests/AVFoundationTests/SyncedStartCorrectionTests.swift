import CoreMedia
import PlaybackEngine
import Testing

@testable import AVFoundation

/// R-SYNC-02, on a machine where each correction is late by something else.
@Suite("Corrections of a start bound to the host clock") @MainActor struct SyncedStartCorrectionTests {
    private final class Look: ScheduledAction {
        func cancel() {}
    }
    private let host = HostTime(seconds: 100)

    /// Tells a start, one after the other, how far the sound is off; returns which of them were corrected.
    private func corrected(_ errors: [Double]) -> [Bool] {
        var start = SyncedStart()
        start.begin(SyncedStart.Goal(item: ItemID(rawValue: 1), time: CMTime(value: 5, timescale: 1), host: host, rate: 1))
        return errors.enumerated().map { number, error in
            let now = host + 0.01 * Double(number)
            return start.correction(at: 5 + (now - host) + error, now, now: now) { _ in Look() } != nil
        }
    }

    @Test("sound is moved until it is within 5 ms, though six corrections come too late or too soon (R-SYNC-02)")
    func goesOn() {
        #expect(corrected([-0.006, -0.014, 0.008, -0.010, 0.007, -0.006, 0.002]) == [true, true, true, true, true, true, false])
    }

    @Test("where none comes so close, it is left alone in the end (R-SYNC-02)")
    func ends() {
        let moved = corrected([Double](repeating: -0.010, count: 50))
        #expect(moved.prefix(4).allSatisfy { $0 })
        #expect(!moved.suffix(40).contains(true))
    }
}
