public import Foundation
import PlaybackEngine

extension AVPlayer {
    /// Whether media time advances, waits to advance, or is paused.
    public enum TimeControlStatus: Int, Sendable {
        case paused = 0, waitingToPlayAtSpecifiedRate, playing

        init(_ status: PlaybackMachine.Status) {
            switch status {
            case .paused: self = .paused
            case .waiting: self = .waitingToPlayAtSpecifiedRate
            case .playing: self = .playing
            }
        }
    }

    /// Why media time does not advance. The raw values are the names of Apple's C constants (R-WAIT-05).
    public struct WaitingReason: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        public static let evaluatingBufferingRate = WaitingReason(rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
        /// Never used, because there is no coordinated playback (R-WAIT-04).
        public static let waitingForCoordinatedPlayback = WaitingReason(rawValue: "AVPlayerWaitingForCoordinatedPlaybackReason")
        /// Never used, because there are no interstitials (R-WAIT-04).
        public static let interstitialEvent = WaitingReason(rawValue: "AVPlayerWaitingDuringInterstitialEventReason")

        init?(_ status: PlaybackMachine.Status) {
            guard case .waiting(let reason) = status else { return nil }
            switch reason {
            case .noItemToPlay: self = .noItemToPlay
            case .evaluatingBufferingRate: self = .evaluatingBufferingRate
            case .toMinimizeStalls: self = .toMinimizeStalls
            }
        }
    }

    /// What happens at the effective end: the duration, or the end time if that is earlier (R-EOI-01).
    public enum ActionAtItemEnd: Int, Sendable {
        /// Makes the next item current; only allowed in a queue player.
        case advance = 0
        case pause
        /// Media time continues beyond the end, with the same rate and item.
        case none

        init(_ action: PlaybackMachine.EndAction) {
            switch action {
            case .advance: self = .advance
            case .pause: self = .pause
            case .none: self = .none
            }
        }
        var machineAction: PlaybackMachine.EndAction {
            switch self {
            case .advance: .advance
            case .pause: .pause
            case .none: .none
            }
        }
    }

    /// Why the requested rate changed (R-RDC-02). Other values are possible.
    public struct RateDidChangeReason: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let setRateCalled = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        public static let setRateFailed = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        public static let audioSessionInterrupted = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// Never posted, because a daemon is never in the background (R-RDC-07).
        public static let appBackgrounded = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// The requested rate changed, or its request failed. The object is the player (R-RDC-01).
    public nonisolated static let rateDidChangeNotification = Notification.Name("AVPlayerRateDidChangeNotification")
    /// The key of a `RateDidChangeReason`; absent at the end of an item or after a stall (R-RDC-04).
    public nonisolated static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
    /// Never present, because there is no coordinated playback (R-RDC-03).
    public nonisolated static let rateDidChangeOriginatingParticipantKey = "AVPlayerRateDidChangeOriginatingParticipantKey"

    @Turn func request(_ rate: Float, immediately: Bool = false) {
        // A rate that is infinite or NaN becomes one that the player rejects.
        let wanted = rate.isFinite ? Double(rate) : Double.greatestFiniteMagnitude
        catchUp()
        sync.cancel()
        apply(.rateRequested(wanted, immediately: immediately))
    }

    @Turn func postRateDidChange(_ reason: PlaybackMachine.RateReason?) {
        var userInfo: [AnyHashable: Any] = [:]
        switch reason {
        case .setRateCalled: userInfo[Self.rateDidChangeReasonKey] = RateDidChangeReason.setRateCalled
        case .setRateFailed: userInfo[Self.rateDidChangeReasonKey] = RateDidChangeReason.setRateFailed
        case .audioSessionInterrupted: userInfo[Self.rateDidChangeReasonKey] = RateDidChangeReason.audioSessionInterrupted
        case nil: break
        }
        Turn.post(Self.rateDidChangeNotification, from: self, userInfo)
    }
}
