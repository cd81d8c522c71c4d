// Code of Swift 3 and 4, which still compiles, with a warning for each old name.
import AVFoundation

class OlderPlayer: NSObject {
    let player = AVPlayer()

    func configure() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(AVAudioSessionCategoryPlayback, with: [.mixWithOthers])
        try session.setMode(AVAudioSessionModeSpokenAudio)
        try session.setActive(true)
        NotificationCenter.default.addObserver(forName: .AVAudioSessionInterruption, object: nil, queue: .main) { [weak self] note in
            guard let value = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt, let type = AVAudioSessionInterruptionType(rawValue: value)
            else { return }
            if type == .began { self?.player.pause() }
        }
    }

    func isAudible() -> Bool {
        let status: AVPlayerTimeControlStatus = player.timeControlStatus
        return status == .playing && player.currentItem?.audioTimePitchAlgorithm != AVAudioTimePitchAlgorithmVarispeed
    }

    func title(of asset: AVAsset) -> String? {
        AVMetadataItem.metadataItems(from: asset.commonMetadata, withCommonKey: AVMetadataCommonKeyTitle).first?.stringValue
    }

    func skip() {
        player.seek(to: CMTimeAdd(player.currentTime(), CMTimeMake(15, 1)), toleranceBefore: kCMTimeZero, toleranceAfter: kCMTimeZero)
    }
}
