public import CoreMedia
public import Foundation
public import PlaybackEngine

/// The state of one asset while one player plays it: status, duration, buffers, end times.
///
/// It does nothing, and stays `unknown`, until a player has it (R-STATUS-03); once removed, its status is frozen (R-STATUS-04). Main actor, as its
/// player; all its notifications are posted there (R-NOTE-01, a stronger promise than Apple's).
@preconcurrency @MainActor open class AVPlayerItem: KeyValueObserving {
    /// Whether it can be played. Legal changes: unknown → readyToPlay, unknown → failed, readyToPlay → failed (R-STATUS-02).
    public enum Status: Int, Sendable {
        case unknown = 0, readyToPlay, failed
    }

    let hub = StateHub(of: AVPlayerItem.self)
    /// What it plays.
    public nonisolated let asset: AVAsset
    /// The keys of the asset that are terminal before it is ready (R-AKEY-02).
    public nonisolated let automaticallyLoadedAssetKeys: [String]

    // What is known of it.
    private var currentStatus = Status.unknown
    private var currentError: (any Error)?
    private var info: MediaInfo?
    private var mediaDuration = MediaDuration.unknown
    var bufferLevel: BufferLevel?

    // Its player.
    private(set) weak var owner: AVPlayer?
    /// Its identity in the engine for as long as it belongs to a player: a new one for each association.
    private(set) var engineID = ItemID.next()
    /// The engine has been told of it, and has not answered.
    private var isAwaitingOpen = false
    /// Where it is to begin.
    private(set) var pendingStart = CMTime.zero
    /// Seeks of an item that is not current: told when it begins, or leaves.
    private var startCompletion: SeekCoordinator.Completion?

    private var endTime = CMTime.invalid
    private var reverseEndTime = CMTime.invalid
    private var bufferDuration: TimeInterval = 0
    var liveOffset = CMTime.invalid
    /// Counts what a remote medium costs, for the access log.
    let meter = TransferMeter()
    var log = ItemLog()
    /// Who gets its sound, in the order in which they were added (R-ITEM-10).
    public internal(set) var outputs: [AVPlayerItemOutput] = []
    /// Where the engine hands it over: a new one for each association.
    var tap = SampleTap()
    private lazy var clock = CMTimebase(item: self)
    private var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

    /// Apple's name for the string form of the keys; nil is `["duration"]` (R-AKEY-01).
    public init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [String]?) {
        AVFoundation.demandMainQueue(Self.self)
        self.asset = asset
        automaticallyLoadedAssetKeys = keys ?? ["duration"]
    }

    /// With keys as typed properties; none by default (R-AKEY-01).
    public init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [AVPartialAsyncProperty<AVAsset>]) {
        AVFoundation.demandMainQueue(Self.self)
        self.asset = asset
        automaticallyLoadedAssetKeys = keys.map(\.key)
    }

    /// As if the list of keys were `["duration"]` (R-AKEY-01).
    public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: ["duration"]) }

    /// An item of `AVAsset(url:)` (R-AKEY-01).
    public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// Who waits for its sound waits no longer.
    deinit { for output in outputs { output.queue?.finish() } }

    /// A fresh item of the same asset, `unknown`, with the settings of this one, without its outputs (R-ITEM-02).
    public func copy() -> AVPlayerItem {
        demandMainQueue()
        let copy = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: automaticallyLoadedAssetKeys)
        copy.endTime = endTime
        copy.reverseEndTime = reverseEndTime
        copy.pitchAlgorithm = pitchAlgorithm
        copy.bufferDuration = bufferDuration
        copy.preferredPeakBitRate = preferredPeakBitRate
        copy.liveOffset = liveOffset
        copy.automaticallyPreservesTimeOffsetFromLive = automaticallyPreservesTimeOffsetFromLive
        copy.canUseNetworkResourcesForLiveStreamingWhilePaused = canUseNetworkResourcesForLiveStreamingWhilePaused
        return copy
    }

    // MARK: Status

    /// Initially `unknown`. Observable; published after everything else that loading tells (R-STATUS-08).
    public var status: Status {
        hub.access(.status)
        return currentStatus
    }
    /// Why it failed; nil in every other state (R-STATUS-05). Set before `status` changes.
    public var error: (any Error)? {
        hub.access(.error)
        return currentError
    }
    /// Indefinite until it is known, and for live streams; ignores end times; may become exact while playing (R-ITEM-05, R-EOI-08).
    public var duration: CMTime {
        hub.access(.duration)
        guard let info, !info.isLive else { return .indefinite }
        return mediaDuration.time
    }
    /// The tracks that play; empty until it is ready (R-ITEM-04).
    public var tracks: [AVPlayerItemTrack] {
        hub.access(.tracks)
        return info.map { [AVPlayerItemTrack(assetTrack: AVAssetTrack(trackID: 1, info: $0))] } ?? []
    }
    /// What the open told, nil before. Not in Apple's vocabulary.
    public var mediaInfo: MediaInfo? {
        hub.access(.mediaInfo)
        return info
    }
    /// The clock of its media time, nil until it is ready (R-ITEM-08).
    public var timebase: CMTimebase? {
        hub.access(.status)
        return currentStatus == .readyToPlay ? clock : nil
    }
    /// How fast its media time really moves (R-RATE-03, R-PITCH-02).
    var effectiveRate: Double {
        guard let owner, owner.playingItem === self else { return 0 }
        let rate = owner.machine.effectiveRate
        return rate == 0 ? 0 : pitchAlgorithm.engineAlgorithm.effectiveRate(for: rate) ?? rate
    }
    /// What is heard of it now; where it will begin while it is not heard (R-ITEM-07). Not observable (R-ITEM-06).
    public func currentTime() -> CMTime {
        demandMainQueue()
        return owner.flatMap { $0.time(of: self) } ?? pendingStart
    }

    // MARK: Settings

    /// Play no further than this; invalid (the default) is the duration (R-END-01). Honoured where it is set before a player has the item (R-ITEM-03);
    /// a change while it plays goes through a seek to where it is.
    public var forwardPlaybackEndTime: CMTime {
        get {
            hub.access(.forwardPlaybackEndTime)
            return endTime
        }
        set {
            demandMainQueue()
            guard newValue != endTime else { return }
            hub.change([.forwardPlaybackEndTime]) { endTime = newValue }
            owner?.requestDidChange(of: self)
        }
    }
    /// Play backwards no further than this; invalid (the default) is the beginning (R-END-01). As `forwardPlaybackEndTime` otherwise.
    public var reversePlaybackEndTime: CMTime {
        get {
            hub.access(.reversePlaybackEndTime)
            return reverseEndTime
        }
        set {
            demandMainQueue()
            guard newValue != reverseEndTime else { return }
            hub.change([.reversePlaybackEndTime]) { reverseEndTime = newValue }
            owner?.requestDidChange(of: self)
        }
    }
    /// How rates other than 1 sound (R-PITCH-01).
    public var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get {
            hub.access(.audioTimePitchAlgorithm)
            return pitchAlgorithm
        }
        set {
            demandMainQueue()
            guard newValue != pitchAlgorithm else { return }
            hub.change([.audioTimePitchAlgorithm]) { pitchAlgorithm = newValue }
            owner?.pitchAlgorithmDidChange(of: self)
        }
    }
    /// Seconds to have decoded ahead while it is current; 0, the default, lets the engine choose. A hint (R-BUF-06): never less than the engine's own
    /// choice, and at most a minute. What is no number or negative is 0.
    public var preferredForwardBufferDuration: TimeInterval {
        get { bufferDuration }
        set {
            demandMainQueue()
            bufferDuration = newValue.isFinite ? max(0, newValue) : 0
            owner?.forwardBufferDidChange(of: self)
        }
    }
    /// Whether to stay at the configured distance from the live edge; without effect (R-ITEM-09).
    public var automaticallyPreservesTimeOffsetFromLive = false
    /// Whether what can be sought in a live stream is looked up also while paused (R-BUF-02); no stream here can be sought, so without effect.
    public var canUseNetworkResourcesForLiveStreamingWhilePaused = false
    /// Bits a second; 0, the default, is no limit. Without effect on anything but adaptive streams (R-BUF-08).
    public var preferredPeakBitRate: Double = 0

    // MARK: Association

    /// Whether a player could take it (R-ITEM-01).
    public var canBeAssociated: Bool {
        demandMainQueue()
        return owner == nil
    }

    func associate(with player: AVPlayer) {
        demand(owner == nil, "R-ITEM-01: an AVPlayerItem cannot be associated with more than one player, or twice with one")
        owner = player
        engineID = .next()
        renewTap()
    }

    /// The engine is about to open it (R-AKEY-06). Nil where it cannot be opened at all.
    func loadRequest() -> LoadRequest? {
        guard var source = asset.source else { return nil }
        let wantsTiming = automaticallyLoadedAssetKeys.contains { AssetKeys.timingKeys.contains($0) }
        source.prefersPreciseDuration = source.prefersPreciseDuration && wantsTiming
        source.meter = meter
        if !isAwaitingOpen, currentStatus == .unknown {
            isAwaitingOpen = true
            if let owner { log.loadBegan(at: owner.environment.clock.now) }
            asset.loader.itemOpenBegan(automaticallyLoadedAssetKeys.filter(AVAsset.knownKeys.contains))
        }
        return LoadRequest(
            item: engineID, source: source, startTime: pendingStart, forwardEndTime: endTime, reverseEndTime: reverseEndTime, tap: tap)
    }

    /// It is to be told from its former self inside the engine: its request changed.
    func renewEngineID() { engineID = .next() }

    func dissociate() {
        owner = nil
        tap.removeAll()
        if isAwaitingOpen {
            isAwaitingOpen = false
            asset.loader.itemOpenAbandoned()
        }
        completeStart(false)
    }

    // MARK: What the engine tells

    /// It was opened: values first, `status` last (R-STATUS-08). A listed key that failed fails the item (R-AKEY-03, J-1).
    func engineOpened(_ found: MediaInfo) {
        guard currentStatus == .unknown else { return }
        if isAwaitingOpen {
            isAwaitingOpen = false
            let wantsTiming = automaticallyLoadedAssetKeys.contains { AssetKeys.timingKeys.contains($0) }
            asset.loader.itemOpened(found, hasTiming: wantsTiming || asset.source?.prefersPreciseDuration != true)
        }
        for key in automaticallyLoadedAssetKeys {
            switch asset.loader.state(of: key) {
            case .failed(let error): return engineFailed(error)
            case .cancelled: return engineFailed(PlaybackError(.cancelled, "Loading was cancelled."))
            case .loading, .loaded, nil: continue
            }
        }
        if let owner { log.becameReady(at: owner.environment.clock.now) }
        hub.change([.tracks, .duration, .mediaInfo, .liveOffset, .loadedTimeRanges, .seekableTimeRanges, .capabilities]) {
            info = found
            mediaDuration = found.duration
        }
        hub.change([.status]) { currentStatus = .readyToPlay }
        if found.isLive { post(Self.recommendedTimeOffsetFromLiveDidChangeNotification) }
    }

    func engineFailed(_ error: PlaybackError) {
        guard currentStatus != .failed else { return }
        if isAwaitingOpen {
            isAwaitingOpen = false
            asset.loader.itemFailed(error)
        }
        hub.change([.error, .status]) {
            currentError = error.asAVFoundationError
            currentStatus = .failed
        }
        logFailure(error)
        completeStart(false)
    }

    func durationChanged(_ duration: MediaDuration) {
        guard duration != mediaDuration, info != nil else { return }
        hub.change([.duration, .loadedTimeRanges, .seekableTimeRanges]) { mediaDuration = duration }
    }

    /// The real end of data was heard where the duration was a guess: correct the guess first (R-EOI-08).
    func correctDuration(toEnd end: CMTime) {
        guard !mediaDuration.isExact, end.isNumeric, endTime.isNumeric == false, info?.isLive == false else { return }
        durationChanged(.exact(frames: end.value, sampleRate: Int(end.timescale)))
    }

    // MARK: Seeks before it is current

    func setPendingStart(_ time: CMTime, completion: SeekCoordinator.Completion?) {
        completeStart(false)
        pendingStart = time
        startCompletion = completion
    }

    func completeStart(_ finished: Bool) {
        guard let completion = startCompletion else { return }
        startCompletion = nil
        MainTurn.perform { MainTurn.tell { completion(finished) } }
    }
}

extension AVPlayerItem: Hashable {
    /// Items are equal when they are the same object.
    public nonisolated static func == (a: AVPlayerItem, b: AVPlayerItem) -> Bool { a === b }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
