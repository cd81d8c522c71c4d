import AVFoundation
import Combine
import Foundation

/// Plays a file, and reacts to interruptions of the audio session, such as a call. The player pauses itself at the start of an interruption. At its
/// end this class decides whether to resume.
@MainActor final class InterruptionAwarePlayer {
    let player: AVPlayer
    private var wasPlaying = false
    private var subscriptions: Set<AnyCancellable> = []

    init(url: URL) throws {
        player = AVPlayer(url: url)
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .default)
        try session.setActive(true)
        let center = NotificationCenter.default
        center.publisher(for: AVAudioSession.interruptionNotification).sink { [weak self] in self?.interruption($0) }.store(in: &subscriptions)
        center.publisher(for: AVPlayer.rateDidChangeNotification, object: player).sink { [weak self] in self?.rateDidChange($0) }
            .store(in: &subscriptions)
        player.publisher(for: \.timeControlStatus).sink { print("status: \($0)") }.store(in: &subscriptions)
    }

    private func rateDidChange(_ notification: Notification) {
        let reason = notification.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
        if reason == .audioSessionInterrupted { wasPlaying = true }
    }

    private func interruption(_ notification: Notification) {
        guard let value = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: value)
        else { return }
        switch type {
        case .began: print("interrupted")
        case .ended:
            let options = AVAudioSession.InterruptionOptions(rawValue: notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
            print(options.contains(.shouldResume) ? "going on" : "staying paused")
            if wasPlaying, options.contains(.shouldResume) { player.play() }
            wasPlaying = false
        @unknown default: break
        }
    }
}

@main @MainActor enum Main {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { return print("usage: InterruptionAware FILE") }
        let aware = try InterruptionAwarePlayer(url: URL(filePath: CommandLine.arguments[1]))
        let ends = NotificationCenter.default.notifications(named: AVPlayerItem.didPlayToEndTimeNotification, object: aware.player.currentItem)
        aware.player.play()
        for await _ in ends { break }
        try AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        print("end")
    }
}
