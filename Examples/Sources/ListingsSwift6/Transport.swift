import AVFoundation
import Foundation

/// Playing, rates and seeks of today.
@MainActor public struct Transport {
    let player: AVPlayer

    /// The rate that `play()` takes up.
    public func playFast() {
        player.defaultRate = 1.5
        player.play()
    }

    public func toggle() {
        if player.timeControlStatus == .paused { player.play() } else { player.pause() }
    }

    /// Why the rate changed.
    public func watchRate() async {
        for await notification in NotificationCenter.default.notifications(named: AVPlayer.rateDidChangeNotification) {
            guard let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason else { continue }
            switch reason {
            case .setRateCalled: print("by the program")
            case .setRateFailed: print("it failed")
            case .audioSessionInterrupted: print("interrupted")
            case .appBackgrounded: print("in the background")
            default: break
            }
        }
    }

    public func watchStatus() async {
        for await status in player.values(for: \.timeControlStatus) { print(status) }
    }

    /// Somewhere near, and exactly.
    public func skip() async {
        await player.seek(to: player.currentTime() + CMTime(seconds: 15, preferredTimescale: 600))
        let finished = await player.seek(to: CMTime(value: 10, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        print(finished)
    }

    /// The audio session.
    public func prepareSession() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .spokenAudio, policy: .longFormAudio)
        try session.setActive(true)
    }
}
