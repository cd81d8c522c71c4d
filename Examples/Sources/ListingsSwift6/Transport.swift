import AVFoundation

/// Plays, changes the rate and seeks, with the asynchronous functions of today.
@MainActor public struct Transport {
    let player: AVPlayer

    /// Starts playback at 1.5 times the normal rate: `play()` uses `defaultRate`.
    public func playFast() {
        player.defaultRate = 1.5
        player.play()
    }

    public func toggle() {
        if player.timeControlStatus == .paused { player.play() } else { player.pause() }
    }

    /// Prints the reason of each change of the rate.
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

    /// Seeks twice: forward by about 15 seconds, with the default tolerances, and then exactly to second 10, with zero tolerances.
    public func skip() async {
        await player.seek(to: player.currentTime() + CMTime(seconds: 15, preferredTimescale: 600))
        let finished = await player.seek(to: CMTime(value: 10, timescale: 1), toleranceBefore: .zero, toleranceAfter: .zero)
        print(finished)
    }

    /// Configures and activates the audio session for spoken audio.
    public func prepareSession() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .spokenAudio, policy: .longFormAudio)
        try session.setActive(true)
    }
}
