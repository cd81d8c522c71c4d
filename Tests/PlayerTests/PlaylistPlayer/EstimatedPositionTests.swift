import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("Estimated positions and ends") @MainActor struct EstimatedPositionTests {
    let rig = PlaylistRig()
    var state: PlayerState { rig.player.state }

    @Test(
        "a seek without tolerance and one with any tolerance may land at an estimated position, an exact one may not (R-SEEK-21)",
        arguments: [(SeekCommand.Tolerance.automatic, true), (.any, true), (.exact, false), (.range(before: 5, after: 5), false)])
    func estimates(_ tolerance: SeekCommand.Tolerance, _ allowsEstimate: Bool) async throws {
        try await rig.append([rig.spec("a")])
        rig.rig.run()
        _ = try await rig.seek(.time(3), tolerance: tolerance)
        let seeks = rig.rig.engine.commands.compactMap { if case .seek(let request) = $0 { request } else { nil } }
        #expect(seeks.map(\.allowsEstimate) == [allowsEstimate])
    }

    @Test("the state reports that the position is estimated (R-SEEK-21)")
    func estimatedState() async throws {
        try await rig.append([rig.spec("a")])
        rig.rig.run()
        let item = try #require(rig.rig.engine.currentItem)
        for isEstimated in [true, false] {
            rig.rig.engine.emit(.positionEstimated(item, isEstimated))
            rig.rig.run()
            #expect(state.isPositionEstimated == isEstimated && rig.states.last == state)
        }
    }

    @Test("a target after the estimated end of a local file is not refused (R-SEEK-22)")
    func estimatedEnd() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: 10, isEstimated: true))
        try await rig.append([rig.spec(of: "a")])
        rig.rig.run()
        #expect(try await rig.seek(.time(15)) == .seek(finished: true, time: 15, requested: 15))
    }
}
