import AVFoundation
import CoreMedia
public import PlaybackEngine

extension PlaylistPlayer {
    public func moveSound(to outputs: [any OutputProvider], origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .outputChanged) { () throws(PlayerRefusal) in player.setOutputs(outputs) }
    }

    public var outputRates: OutputRates { player.outputRates }

    public var audioSession: AudioSessionState {
        let session = player.session
        return AudioSessionState(
            category: session.category, mode: session.mode, options: session.categoryOptions, isActive: session.isActive,
            isInterrupted: session.isInterrupted)
    }

    func apply(_ update: AudioSessionUpdate) throws(PlayerRefusal) {
        let session = player.session
        let category = update.category ?? session.category
        let isOther = category != session.category
        let mode = update.mode ?? (isOther ? .default : session.mode)
        let options = update.options ?? (isOther ? [] : session.categoryOptions)
        do {
            if isOther || mode != session.mode || options != session.categoryOptions {
                try session.setCategory(category, mode: mode, options: options)
            }
            if let isActive = update.isActive, isActive != session.isActive || session.isInterrupted {
                // Deactivation during playback is an error, although the session becomes inactive (R-SES-22).
                if !isActive { player.pause() }
                try session.setActive(isActive)
            }
        } catch {
            throw .sessionRefused((error as? AVAudioSession.ErrorCode)?.errorDescription ?? "The audio session cannot be changed in this way.")
        }
    }
}
