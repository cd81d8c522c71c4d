import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Playlist

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

    @Test("after a correction the state has the exact anchor, and the position is not estimated (R-SEEK-24)")
    func correctedState() async throws {
        try await rig.append([rig.spec("a")])
        rig.rig.run()
        _ = try await rig.seek(.time(3), tolerance: .automatic)
        let item = try #require(rig.rig.engine.currentItem)
        rig.rig.engine.emit(.positionEstimated(item, true))
        rig.rig.run()
        let before = state.anchor.time
        var timeline = rig.rig.engine.timeline
        timeline.corrections += 1
        for index in timeline.segments.indices { timeline.segments[index].mediaStart += 2000 }
        rig.rig.engine.setTimeline(timeline)
        rig.rig.engine.emit(.positionsCorrected(item, by: CMTime(value: 2000, timescale: 1000), isExact: true, isHeard: true))
        rig.rig.run()
        #expect(state.anchor.time == before + 2 && !state.isPositionEstimated && rig.states.last == state)
    }

    /// Plays at an estimated position.
    private func playEstimated() async throws -> ItemID {
        try await rig.append([rig.spec("a", seconds: 60)])
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        _ = try await rig.seek(.time(3), tolerance: .automatic)
        let item = try #require(rig.rig.engine.currentItem)
        rig.rig.engine.emit(.positionEstimated(item, true))
        rig.rig.advance(1)
        return item
    }
    /// Adds two seconds to the positions from the heard frame on, as the engine does, without an event.
    private func correctTimeline() {
        var timeline = rig.rig.engine.timeline
        let heard = rig.rig.engine.clock.now().frame, last = timeline.segments.count - 1
        timeline.corrections += 1
        var rest = timeline.segments[last]
        (rest.mediaStart, rest.start) = (rest.mediaFrame(at: heard) + 2000, heard)
        (rest.isJoined, rest.correction) = (true, timeline.corrections)
        timeline.segments[last].end = heard
        timeline.segments.append(rest)
        rig.rig.engine.setTimeline(timeline)
    }
    private func emitCorrection(of item: ItemID) {
        rig.rig.engine.emit(.positionsCorrected(item, by: CMTime(value: 2000, timescale: 1000), isExact: true, isHeard: true))
    }

    @Test("a correction during a pending seek changes the anchor at once, with the flag (R-SEEK-24)")
    func correctedDuringSeek() async throws {
        let item = try await playEstimated()
        rig.rig.engine.holdsSeeks = true
        let seek = Task { @MainActor in try await rig.player.perform(.seek(SeekCommand(target: .time(40))), origin: "test") }
        await Task.yield()
        rig.rig.run()
        correctTimeline()
        emitCorrection(of: item)
        rig.rig.run()
        #expect(state.anchor.time == 6 && !state.isPositionEstimated && rig.states.last == state)
        rig.rig.engine.completeSeek()
        rig.rig.run()
        _ = try await seek.value
    }

    @Test("until the event of a correction, the state keeps the former anchor, and then it has the exact one with its reason (R-SEEK-24)")
    func correctionIsOneChange() async throws {
        let item = try await playEstimated()
        try await rig.perform(.changeVolume(by: -0.5))
        let anchor = state.anchor
        correctTimeline()
        try await rig.perform(.changeVolume(by: -0.25))
        #expect(state.anchor == anchor && state.isPositionEstimated)
        rig.rig.advance(StatePublisher.anchorCheckPeriod)
        #expect(state.anchor == anchor && rig.states.last == state)
        rig.clear()
        emitCorrection(of: item)
        rig.rig.run()
        #expect(state.anchor.time == 16 && !state.isPositionEstimated && state.lastChange.reason == .seek)
        #expect(rig.states == [state])
    }

    @Test("a target after the estimated end of a local file is not refused (R-SEEK-22)")
    func estimatedEnd() async throws {
        rig.rig.add("a", ScriptedMedium(seconds: 10, isEstimated: true))
        try await rig.append([rig.spec(of: "a")])
        rig.rig.run()
        #expect(try await rig.seek(.time(15)) == .seek(finished: true, time: 15, requested: 15))
    }
}
