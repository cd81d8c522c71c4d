public import Foundation
import PlaybackEngine

extension AVPlayer {
    /// Whether media time advances (`playing`), should advance (`waitingToPlayAtSpecifiedRate`) or should not (`paused`).
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

    /// The reason why media time does not advance although a rate is requested (R-WAIT-05: the raw values are the names of Apple's C constants).
    public struct WaitingReason: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        public static let evaluatingBufferingRate = WaitingReason(rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
        /// The player waits for other participants of coordinated playback. The reason is never used, because this implementation has no coordinated
        /// playback (R-WAIT-04).
        public static let waitingForCoordinatedPlayback = WaitingReason(rawValue: "AVPlayerWaitingForCoordinatedPlaybackReason")
        /// The player waits for the end of inserted content, such as advertising. The reason is never used, because this implementation has no
        /// interstitials (R-WAIT-04).
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

    /// The player's action at the effective end of an item. The effective end is the item's duration, or its end time if that is earlier (R-EOI-01).
    public enum ActionAtItemEnd: Int, Sendable {
        /// The player continues with the next item. Only a queue player may have the action `advance`.
        case advance = 0
        case pause
        /// The player changes neither the rate nor the item. Media time continues to advance beyond the end of the item.
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

    /// The reason for a change of the requested rate (R-RDC-02). Reasons with other values are possible.
    public struct RateDidChangeReason: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let setRateCalled = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        public static let setRateFailed = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        public static let audioSessionInterrupted = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// The program moved to the background. The reason is never posted, because a daemon is never in the background (R-RDC-07).
        public static let appBackgrounded = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// Posted when the player's requested rate changed, or when the request of a rate failed. The object of the notification is the player
    /// (R-RDC-01).
    public nonisolated static let rateDidChangeNotification = Notification.Name("AVPlayerRateDidChangeNotification")
    /// The key of the reason for a change of the rate (`RateDidChangeReason`) in `userInfo`. The reason is absent if the rate changed at the end of
    /// an item or after a stall (R-RDC-04).
    public nonisolated static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
    /// The key, in `userInfo`, of the participant who changed the rate in coordinated playback (of several devices). The key is never present,
    /// because this implementation has no coordinated playback (R-RDC-03).
    public nonisolated static let rateDidChangeOriginatingParticipantKey = "AVPlayerRateDidChangeOriginatingParticipantKey"

    /// The requested rate of playback; 0 means paused. While the player waits, `rate` is the requested rate, not 0 (R-RATE-01, R-RATE-02). Setting
    /// the rate to the same value is no change (R-RATE-10). A rate that cannot be played becomes 0, with the reason `setRateFailed` (R-RATE-08).
    public var rate: Float {
        get {
            hub.access(.rate)
            return Float(machine.rate)
        }
        set { request(newValue) }
    }

    /// The rate that `play()` requests; initially 1. Setting `defaultRate` does not affect current playback (R-RATE-05).
    public var defaultRate: Float {
        get {
            hub.access(.defaultRate)
            return Float(machine.defaultRate)
        }
        set {
            demandMainQueue()
            guard newValue.isFinite, newValue != defaultRate else { return }
            apply(.defaultRateSet(Double(newValue)))
        }
    }

    /// Requests playback at `defaultRate` (R-RATE-04). At the end of an item `play()` has no effect before a seek (R-EOI-04).
    public func play() { request(Float(machine.defaultRate)) }
    /// Pauses playback, by a request of rate 0 (R-RATE-04).
    public func pause() { request(0) }
    /// Starts playback immediately with the buffered audio, even if little audio is buffered (R-IMM-01, R-IMM-02).
    public func playImmediately(atRate rate: Float) { request(rate, immediately: true) }

    private func request(_ rate: Float, immediately: Bool = false, _ call: StaticString = #function) {
        demandMainQueue(call)
        // NaN and infinity are replaced by a finite rate that no player can play, so that the request fails.
        let wanted = rate.isFinite ? Double(rate) : Double.greatestFiniteMagnitude
        MainTurn.perform {
            catchUp()
            sync.cancel()
            apply(.rateRequested(wanted, immediately: immediately))
        }
    }

    public var timeControlStatus: TimeControlStatus {
        hub.access(.timeControlStatus)
        return TimeControlStatus(machine.status)
    }
    /// The reason why the player waits; nil if the player does not wait (R-WAIT-01).
    public var reasonForWaitingToPlay: WaitingReason? {
        hub.access(.reasonForWaitingToPlay)
        return WaitingReason(machine.status)
    }
    /// Whether the player waits for enough buffered audio at the start and after a stall; true by default. If waiting is off, the player starts with
    /// any amount of buffered audio, and pauses at a stall (R-STALL-01…04).
    public var automaticallyWaitsToMinimizeStalling: Bool {
        get {
            hub.access(.automaticallyWaitsToMinimizeStalling)
            return machine.waitsAutomatically
        }
        set {
            demandMainQueue()
            apply(.automaticWaitingSet(newValue))
        }
    }
    /// The player's action at the effective end of an item: `pause` by default, `advance` for a queue (R-EOI-02). Only a queue player may have the
    /// action `advance`.
    public var actionAtItemEnd: ActionAtItemEnd {
        get {
            hub.access(.actionAtItemEnd)
            return ActionAtItemEnd(machine.endAction)
        }
        set {
            demandMainQueue()
            demand(newValue != .advance || self is AVQueuePlayer, "R-EOI-01: only an AVQueuePlayer can advance at the end of an item")
            guard newValue != actionAtItemEnd else { return }
            MainTurn.perform {
                catchUp()
                apply(.endActionSet(newValue.machineAction))
                postUpcoming()
            }
        }
    }

    func postRateDidChange(_ reason: PlaybackMachine.RateReason?) {
        var userInfo: [AnyHashable: Any] = [:]
        switch reason {
        case .setRateCalled: userInfo[Self.rateDidChangeReasonKey] = RateDidChangeReason.setRateCalled
        case .setRateFailed: userInfo[Self.rateDidChangeReasonKey] = RateDidChangeReason.setRateFailed
        case .audioSessionInterrupted: userInfo[Self.rateDidChangeReasonKey] = RateDidChangeReason.audioSessionInterrupted
        case nil: break
        }
        MainTurn.enqueue { [self] in NotificationCenter.default.post(name: Self.rateDidChangeNotification, object: self, userInfo: userInfo) }
    }
}
