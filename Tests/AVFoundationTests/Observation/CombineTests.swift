import Combine
import Dispatch
import Foundation
import Observation
import PlaybackTesting
import Testing

@testable import AVFoundation

@MainActor private final class PlaybackModel: ObservableObject {
    @Published private(set) var isPlaying = false
    init(_ player: AVPlayer) {
        player.publisher(for: \.timeControlStatus).map { $0 == .playing }.assign(to: &$isPlaying)
    }
}

@Suite("Observation through Combine and Swift's Observation") @MainActor struct CombineTests {
    let rig = ScriptedRig()
    let log = Recorder()

    @Test("publisher(for:) sends the current value at once, then every change (R-COMB-01)")
    func values() {
        let player = rig.player()
        player.rate = 1
        var token: AnyCancellable? = player.publisher(for: \.rate).sink { [log] in log.add("\($0)") }
        #expect(log.log == ["1.0"])
        player.rate = 2
        player.pause()
        #expect(log.log == ["1.0", "2.0", "0.0"] && token != nil)
        token = nil
        player.rate = 3
        #expect(log.log.count == 3)
    }

    @Test("without initial the publisher sends only changes; with prior it sends the old value too (R-COMB-01, R-KVO-03)")
    func options() {
        let player = rig.player()
        let changes = player.publisher(for: \.rate, options: [.new]).sink { [log] in log.add("change \($0)") }
        let priors = player.publisher(for: \.rate, options: [.prior]).sink { [log] in log.add("with prior \($0)") }
        player.rate = 2
        #expect(log.log == ["with prior 0.0", "change 2.0", "with prior 2.0"])
        changes.cancel()
        priors.cancel()
    }

    @Test("a publisher through currentItem sends a status from its first value to its last")
    func status() {
        let player = rig.player()
        let token = player.publisher(for: \.currentItem?.status).removeDuplicates().sink { [log] in
            log.add($0.map { "\($0)" } ?? "no item")
        }
        player.replaceCurrentItem(with: rig.item("a"))
        rig.run()
        #expect(log.log == ["no item", "unknown", "readyToPlay"])
        token.cancel()
    }

    @Test("a property assigned from a publisher follows the player (R-COMB-03)")
    func published() {
        let player = rig.player(rig.item("a"))
        let model = PlaybackModel(player)
        rig.run()
        #expect(!model.isPlaying)
        player.play()
        rig.run()
        rig.advance(1)
        #expect(model.isPlaying)
        player.pause()
        #expect(!model.isPlaying)
    }

    @Test("a subscription does not keep the player alive (R-KVO-05)")
    func lifetime() {
        var player: AVPlayer? = rig.player()
        weak let observed = player
        let token = player?.publisher(for: \.rate).sink { _ in }
        player = nil
        #expect(observed == nil && token != nil)
    }

    @Test("a subscription made on another thread gets the present value there, and later ones on the thread of the change (R-COMB-01, R-KVO-04)")
    func otherThread() async {
        let player = rig.player()
        player.rate = 2
        let publisher = HandedOver(value: player.publisher(for: \.rate))
        let token = await Task.detached { [log] in
            publisher.value.sink { log.add("\($0) \(MainQueue.isCurrent)") }
        }.value
        player.rate = 3
        #expect(log.log == ["2.0 false", "3.0 true"])
        token.cancel()
    }

    @Test("the notification center's publisher sends rate changes with their reason (R-RDC-01)")
    func notifications() {
        let player = rig.player()
        let token = NotificationCenter.default.publisher(for: AVPlayer.rateDidChangeNotification, object: player)
            .compactMap { $0.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason }
            .sink { [log] in log.add($0.rawValue) }
        player.rate = 1
        #expect(log.log == [AVPlayer.RateDidChangeReason.setRateCalled.rawValue])
        token.cancel()
    }
}

@Suite("Swift's Observation") struct SwiftObservationTests {
    @Test("observation tracking is off by default; if enabled, a change calls once, before it is made (R-OBS-01, R-OBS-02)")
    func tracking() async {
        await #expect(processExitsWith: .success) {
            await MainActor.run {
                precondition(!AVPlayer.isObservationEnabled, "off at first")
                AVPlayer.isObservationEnabled = true
                let rig = ScriptedRig()
                let item = rig.item("a")
                let player = rig.queue([item])
                let told = Recorder()
                func track(_ name: String, _ read: () -> Void) {
                    withObservationTracking(read) { MainActor.assumeIsolated { told.add("\(name) at \(player.rate)") } }
                }
                track("rate") { _ = player.rate }
                track("status") { _ = item.status }
                track("duration") { _ = player.currentItem?.duration }
                track("volume") { _ = player.volume }
                rig.run()
                player.rate = 2
                player.rate = 3
                precondition(told.log == ["duration at 0.0", "status at 0.0", "rate at 0.0"], "\(told.log)")
            }
        }
    }

    @Test("without isObservationEnabled nothing is tracked (R-OBS-01)")
    func disabled() async {
        await #expect(processExitsWith: .success) {
            await MainActor.run {
                let player = ScriptedRig().player()
                withObservationTracking({ _ = player.rate }, onChange: { preconditionFailure("tracked") })
                player.rate = 1
                precondition(player.rate == 1)
            }
        }
    }

    @Test("setting isObservationEnabled after the first player traps (R-OBS-01)")
    func tooLate() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let player = ScriptedRig().player()
                AVPlayer.isObservationEnabled = player.rate == 0
            }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("R-OBS-01"))
    }
}
