import AVFoundation
import PlaybackEngine

// Conversions between AVFoundation's values and the values of the player's state.

extension PlayerState.Status {
    init(_ status: AVPlayer.Status) {
        switch status {
        case .unknown: self = .unknown
        case .readyToPlay: self = .readyToPlay
        case .failed: self = .failed
        }
    }

    init(_ status: AVPlayerItem.Status) {
        switch status {
        case .unknown: self = .unknown
        case .readyToPlay: self = .readyToPlay
        case .failed: self = .failed
        }
    }
}

extension PlayerState.TimeControlStatus {
    init(_ status: AVPlayer.TimeControlStatus) {
        switch status {
        case .paused: self = .paused
        case .waitingToPlayAtSpecifiedRate: self = .waitingToPlayAtSpecifiedRate
        case .playing: self = .playing
        }
    }
}

extension PlayerState.WaitingReason {
    init(_ reason: AVPlayer.WaitingReason?) {
        switch reason {
        case .toMinimizeStalls: self = .toMinimizeStalls
        case .evaluatingBufferingRate: self = .evaluatingBufferingRate
        case .noItemToPlay: self = .noItemToPlay
        default: self = .none
        }
    }
}

extension PlayerState.ActionAtItemEnd {
    init(_ action: AVPlayer.ActionAtItemEnd) {
        switch action {
        case .advance: self = .advance
        case .pause: self = .pause
        case .none: self = .none
        }
    }
}

extension AVPlayer.ActionAtItemEnd {
    init(_ action: PlayerState.ActionAtItemEnd) {
        switch action {
        case .advance: self = .advance
        case .pause: self = .pause
        case .none: self = .none
        }
    }
}

extension PitchAlgorithm {
    init(_ algorithm: AVAudioTimePitchAlgorithm) {
        self = Self.allCases.first { AVAudioTimePitchAlgorithm($0) == algorithm } ?? .timeDomain
    }
}

extension AVAudioTimePitchAlgorithm {
    init(_ algorithm: PitchAlgorithm) {
        switch algorithm {
        case .timeDomain: self = .timeDomain
        case .spectral: self = .spectral
        case .varispeed: self = .varispeed
        case .lowQualityZeroLatency: self = .lowQualityZeroLatency
        }
    }
}
