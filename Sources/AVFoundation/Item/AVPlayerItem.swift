public import CoreMedia
public import Foundation
import Platform
public import PlaybackEngine
import Synchronization

/// The state of one asset while one player plays the asset: status, duration, buffers, end times.
///
/// The item loads nothing, and its status stays `unknown`, until a player gets the item (R-STATUS-03). After the item was removed from the player,
/// its status does not change any more (R-STATUS-04). An item may be used on any thread. All its notifications are posted on the main queue (R-NOTE-01,
/// a stronger promise than Apple's).
@preconcurrency @MainActor open class AVPlayerItem: NSObject, NSCopying, KeyValueObserving, StateOwner {
    /// Whether an item can be played. The possible changes of the status are unknown → readyToPlay, unknown → failed, readyToPlay →
    /// failed (R-STATUS-02).
    public enum Status: Int, Sendable {
        case unknown = 0, readyToPlay, failed
    }

    nonisolated let hub = StateHub()
    public nonisolated let asset: AVAsset
    /// The keys of the asset that are loaded, or have failed, before the item is ready (R-AKEY-02).
    public nonisolated let automaticallyLoadedAssetKeys: [String]

    @Turn private var loading = Loading()
    /// The engine's last report of the item's buffered audio; nil before the first report.
    @Turn private(set) var bufferLevel: BufferLevel?

    // The association with a player: the player itself (nil if the item belongs to no player), and the item's identity and start in this player.
    @Turn private(set) weak var owner: AVPlayer?
    /// The looper whose copy this item is.
    @Turn weak var looper: AVPlayerLooper?
    @Turn var scheduler: any MainScheduler { (owner?.environment ?? .default).scheduler }
    /// The identity of the item in the engine while the item belongs to a player. The item has a new identity each time that a player gets the item.
    @Turn private(set) var engineID = ItemID.next()
    /// The position at which playback of the item starts.
    @Turn private(set) var pendingStart = CMTime.zero
    /// Whether the item waits for its medium instead of failing (`AVPlayer.FailureHandler`).
    @Turn private var waitsForMedium = false
    package nonisolated var isHeld: Bool { Turn.perform { waitsForMedium } }
    /// The completion of a seek that was requested before the item became current. The completion is called when the item starts or is removed.
    @Turn private var startCompletion: SeekCoordinator.Completion?

    @Turn private(set) var settings = Settings()
    /// The meter that counts the transfers of a remote medium, for the access log.
    nonisolated let meter = TransferMeter()
    /// The monitor of the connection to a remote medium.
    nonisolated let connection = ConnectionMonitor()
    nonisolated let log = ItemLog()
    nonisolated let attached = AttachedOutputs()
    @Turn private lazy var clock = CMTimebase(item: self)

    /// The results of loading the item's medium.
    private struct Loading {
        var status = Status.unknown
        var error: (any Error)?
        var info: MediaInfo?
        var duration = MediaDuration.unknown
        /// Whether the positions since the last seek are only estimated.
        var isPositionEstimated = false
        /// Whether the engine has the item and has not reported the result of opening the item's medium.
        var isAwaitingOpen = false
        /// The published wait of the connection to a remote medium.
        var connectionWait: ConnectionMonitor.Wait?
        /// The object in which the thread that reads the medium reports the progress of a long seek.
        var seekReport: SeekProgress?
        /// The published progress of a long seek, 0…1; nil if none is in progress.
        var seekProgress: Double?
        /// The timed metadata of the audio that is heard.
        var heardMetadata: TimedMetadata?
    }
    /// What the program has set for the item. A copy of the item has the same settings.
    struct Settings {
        var endTime = CMTime.invalid
        var reverseEndTime = CMTime.invalid
        var loop: LoopRange?
        /// The requested duration of audio that is decoded ahead, in seconds.
        var bufferDuration: TimeInterval = 0
        var liveOffset = CMTime.invalid
        var preservesLiveOffset = false
        var updatesLiveRangesWhilePaused = false
        /// The requested maximum bit rate of the medium, in bits per second.
        var peakBitRate = 0.0
        var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain
    }

    /// Makes an item whose automatically loaded asset keys are strings, as in Apple's API; nil means `["duration"]` (R-AKEY-01).
    public nonisolated init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [String]?) {
        self.asset = asset
        automaticallyLoadedAssetKeys = keys ?? ["duration"]
        super.init()
    }

    /// Makes an item whose automatically loaded asset keys are typed properties (R-AKEY-01).
    public nonisolated convenience init(asset: AVAsset, automaticallyLoadedAssetKeys keys: [AVPartialAsyncProperty<AVAsset>]) {
        self.init(asset: asset, automaticallyLoadedAssetKeys: keys.map(\.key))
    }

    /// Makes an item whose only automatically loaded asset key is "duration" (R-AKEY-01).
    public nonisolated convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: ["duration"]) }

    /// Makes an item of the asset `AVAsset(url: url)` (R-AKEY-01).
    public nonisolated convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

    /// Returns a new item of the same asset, in status `unknown`, with the settings of the copied item but without its outputs (R-ITEM-02).
    open nonisolated func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    nonisolated func duplicate() -> AVPlayerItem {
        let copy = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: automaticallyLoadedAssetKeys)
        Turn.perform { copy.settings = settings }
        return copy
    }

    /// An item is equal only to itself: queues and observers tell items apart by that.
    public nonisolated final override func isEqual(_ object: Any?) -> Bool { (object as? AVPlayerItem) === self }
    public nonisolated final override var hash: Int { ObjectIdentifier(self).hashValue }

    // MARK: Status

    /// The status of the item, initially `unknown`. `status` is observable. The status changes after all other properties that loading
    /// changes (R-STATUS-08).
    open nonisolated var status: Status { ownStatus }
    /// The status, whatever a subclass returns from `status`.
    nonisolated var ownStatus: Status { read(.status) { loading.status } }
    /// The status, without recording an access for observers, and whatever a subclass returns from `status`.
    @Turn var phase: Status { loading.status }
    /// The error of the item if its status is `failed`, otherwise nil (R-STATUS-05). The error of an item is set before its `status` changes.
    open nonisolated var error: (any Error)? { read(.error) { loading.error } }
    /// The duration of the item; indefinite before the duration is known, and for live streams. End times have no effect on the item's duration. The
    /// duration of an item may become exact during playback (R-ITEM-05, R-EOI-08).
    open nonisolated var duration: CMTime {
        read(.duration) {
            guard let info = loading.info, !info.isLive else { return .indefinite }
            return loading.duration.time
        }
    }
    /// Whether the item's positions since its last seek are only estimated: in a remote medium without an index, the seek began at an estimated byte
    /// offset (R-SEEK-21). `isPositionEstimated` is observable. Apple's API has no such property.
    public nonisolated var isPositionEstimated: Bool { read(.isPositionEstimated) { loading.isPositionEstimated } }
    /// The tracks of the item that are played; empty before the item is ready (R-ITEM-04).
    open nonisolated var tracks: [AVPlayerItemTrack] {
        read(.tracks) { loading.info.map { [AVPlayerItemTrack(assetTrack: AVAssetTrack(trackID: 1, info: $0))] } ?? [] }
    }
    /// The description of the opened medium; nil before the medium is open. Apple's API has no property `mediaInfo`.
    public nonisolated var mediaInfo: MediaInfo? { read(.mediaInfo) { loading.info } }
    /// The clock of the item's media time; nil before the item is ready (R-ITEM-08).
    open nonisolated var timebase: CMTimebase? { read(.status) { loading.status == .readyToPlay ? clock : nil } }
    /// The rate at which the item's media time actually advances (R-RATE-03, R-PITCH-02).
    @Turn var effectiveRate: Double {
        guard let owner, owner.playingItem === self else { return 0 }
        let rate = owner.machine.effectiveRate
        return rate == 0 ? 0 : settings.pitchAlgorithm.engineAlgorithm.effectiveRate(for: rate) ?? rate
    }
    /// Returns the position that is heard now; if the item is not current, the position at which it will start (R-ITEM-07). The position of an item
    /// is not observable (R-ITEM-06).
    open nonisolated func currentTime() -> CMTime { Turn.perform { owner.flatMap { $0.time(of: self) } ?? pendingStart } }

    // MARK: Settings

    /// The position at which forward playback of the item ends; invalid (the default) means the duration (R-END-01). An end time that is set before a
    /// player gets the item applies from the first frame (R-ITEM-03). If the end time of the current item changes, the engine opens its medium again
    /// at the current position.
    open nonisolated var forwardPlaybackEndTime: CMTime {
        get { read(.forwardPlaybackEndTime) { settings.endTime } }
        set {
            turn {
                guard newValue != settings.endTime else { return }
                change([.forwardPlaybackEndTime]) { $0.endTime = newValue }
                owner?.requestDidChange(of: self)
            }
        }
    }
    /// The position at which reverse playback of the item ends; invalid (the default) means the item's start (R-END-01). The rules of
    /// `forwardPlaybackEndTime` also apply to `reversePlaybackEndTime`.
    open nonisolated var reversePlaybackEndTime: CMTime {
        get { read(.reversePlaybackEndTime) { settings.reverseEndTime } }
        set {
            turn {
                guard newValue != settings.reverseEndTime else { return }
                change([.reversePlaybackEndTime]) { $0.reverseEndTime = newValue }
                owner?.requestDidChange(of: self)
            }
        }
    }
    /// The algorithm that renders the item at rates other than 1 (R-PITCH-01).
    open nonisolated var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { read(.audioTimePitchAlgorithm) { settings.pitchAlgorithm } }
        set {
            turn {
                guard newValue != settings.pitchAlgorithm else { return }
                change([.audioTimePitchAlgorithm]) { $0.pitchAlgorithm = newValue }
                owner?.pitchAlgorithmDidChange(of: self)
            }
        }
    }
    /// The duration of audio that is decoded ahead while the item is current, in seconds; 0 (the default) lets the engine choose. The engine decodes
    /// ahead at least the duration that it would choose itself, and at most a minute (R-BUF-06). Negative and non-finite durations become 0.
    open nonisolated var preferredForwardBufferDuration: TimeInterval {
        get { Turn.perform { settings.bufferDuration } }
        set {
            turn {
                settings.bufferDuration = newValue.isFinite ? max(0, newValue) : 0
                updateReserve()
                owner?.forwardBufferDidChange(of: self)
            }
        }
    }
    /// Whether playback keeps the configured distance from the live edge (the newest position of a live stream). The property is stored, but has no
    /// effect (R-ITEM-09).
    open nonisolated var automaticallyPreservesTimeOffsetFromLive: Bool {
        get { Turn.perform { settings.preservesLiveOffset } }
        set { Turn.perform { settings.preservesLiveOffset = newValue } }
    }
    /// Whether the seekable ranges of a live stream are also updated while the item is paused (R-BUF-02).
    /// `canUseNetworkResourcesForLiveStreamingWhilePaused` has no effect, because live streams are not seekable in this implementation.
    open nonisolated var canUseNetworkResourcesForLiveStreamingWhilePaused: Bool {
        get { Turn.perform { settings.updatesLiveRangesWhilePaused } }
        set { Turn.perform { settings.updatesLiveRangesWhilePaused = newValue } }
    }
    /// The maximum bit rate of the medium, in bits per second; 0 (the default) is no limit. It concerns only streams with several variants, of which
    /// one is chosen when the item is opened (R-BUF-08).
    open nonisolated var preferredPeakBitRate: Double {
        get { Turn.perform { settings.peakBitRate } }
        set { Turn.perform { settings.peakBitRate = newValue } }
    }

    /// Changes settings of the item, and notifies the observers of `keys`.
    @Turn func change(_ keys: [StateKey], _ body: (inout Settings) -> Void) { hub.change(keys) { body(&settings) } }

    /// Replaces the engine's report of the item's buffer, and notifies the observers of `keys`.
    @Turn func setBufferLevel(_ level: BufferLevel?, notifying keys: [StateKey]) { hub.change(keys) { bufferLevel = level } }

    /// The wait of the connection to the item's remote medium, without recording an access for observers.
    @Turn var knownConnectionWait: ConnectionMonitor.Wait? { loading.connectionWait }
    /// Publishes the wait of the connection to the item's remote medium.
    @Turn func setConnectionWait(_ wait: ConnectionMonitor.Wait?) { hub.change([.connectionWait]) { loading.connectionWait = wait } }

    @Turn var seekReport: SeekProgress? { loading.seekReport }
    @Turn func setSeekReport(_ report: SeekProgress) { loading.seekReport = report }
    /// The progress of a long seek, without recording an access for observers.
    @Turn var knownSeekProgress: Double? { loading.seekProgress }
    @Turn func setSeekProgress(_ progress: Double?) { hub.change([.seekProgress]) { loading.seekProgress = progress } }

    /// The timed metadata of the audio that is heard, without recording an access for observers.
    @Turn var heardMetadata: TimedMetadata? { loading.heardMetadata }
    @Turn func setHeardMetadata(_ metadata: TimedMetadata?) { hub.change([.timedMetadata]) { loading.heardMetadata = metadata } }

    // MARK: Association

    /// Whether the item can be given to a player, because it belongs to no player (R-ITEM-01).
    public nonisolated var canBeAssociated: Bool { Turn.perform { owner == nil } }

    @Turn func associate(with player: AVPlayer) {
        demand(owner == nil, "R-ITEM-01: an AVPlayerItem cannot be associated with more than one player, or twice with one")
        owner = player
        renewEngineID()
        renewTap()
    }

    /// Returns the request with which the player lets the engine open the item, and marks the automatically loaded keys of its asset as loading
    /// (R-AKEY-06). Returns nil if the item's URL can never be opened.
    @Turn func loadRequest() -> LoadRequest? {
        guard var source = asset.source else { return nil }
        let wantsTiming = automaticallyLoadedAssetKeys.contains { AssetKeys.timingKeys.contains($0) }
        source.prefersPreciseDuration = source.prefersPreciseDuration && wantsTiming
        source.meter = meter
        source.peakBitRate = settings.peakBitRate
        observeSeeks(in: &source)
        if case .remote = source.location { observeConnection(of: &source) }
        if case .remote = source.location { observeTimedMetadata(of: &source) }
        if !loading.isAwaitingOpen, loading.status == .unknown {
            loading.isAwaitingOpen = true
            if let owner { log.loadBegan(at: owner.environment.clock.now) }
            asset.loader.itemOpenBegan(automaticallyLoadedAssetKeys.filter(AVAsset.knownKeys.contains))
        }
        return LoadRequest(
            item: engineID, source: source, startTime: pendingStart, forwardEndTime: settings.endTime, reverseEndTime: settings.reverseEndTime,
            loop: settings.loop, tap: attached.tap)
    }

    /// Gives the item a new identity in the engine, because the request with which the engine opens the item changed. The engine reports again if
    /// its positions are estimated.
    @Turn func renewEngineID() {
        engineID = .next()
        positionEstimated(false)
        attached.renewTimedMetadata()
    }

    /// Ends the connection of the item with its player. The completion of a seek that waits for the start of the item is called with false, and the
    /// asset no longer waits for the engine.
    @Turn func dissociate() {
        owner = nil
        Turn.keep(self)
        attached.clearTap()
        if loading.isAwaitingOpen {
            loading.isAwaitingOpen = false
            asset.loader.itemOpenAbandoned()
        }
        completeStart(false)
        updateDemand()
    }

    // MARK: Events of the engine

    /// Handles the event that the engine opened the item's medium. All other properties change before `status` (R-STATUS-08). If the loading of a key
    /// in `automaticallyLoadedAssetKeys` failed, the item fails (R-AKEY-03, J-1).
    @Turn func engineOpened(_ found: MediaInfo) {
        guard loading.status == .unknown else { return }
        if loading.isAwaitingOpen {
            loading.isAwaitingOpen = false
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
            loading.info = found
            loading.duration = found.duration
        }
        hub.change([.status]) { loading.status = .readyToPlay }
        updateReserve()
        if found.isLive { post(Self.recommendedTimeOffsetFromLiveDidChangeNotification) }
    }

    @Turn func engineFailed(_ error: PlaybackError) {
        guard loading.status != .failed else { return }
        if loading.isAwaitingOpen {
            loading.isAwaitingOpen = false
            asset.loader.itemFailed(error)
        }
        hub.change([.error, .status]) {
            loading.error = error.asAVFoundationError
            loading.status = .failed
        }
        if loading.connectionWait != nil { setConnectionWait(nil) }
        logFailure(error)
        completeStart(false)
    }

    @Turn func durationChanged(_ duration: MediaDuration) {
        guard duration != loading.duration, loading.info != nil else { return }
        hub.change([.duration, .loadedTimeRanges, .seekableTimeRanges]) { loading.duration = duration }
    }

    /// Whether `duration` is the exact end of the item, without recording an access for observers.
    package nonisolated var isDurationExact: Bool { Turn.perform { loading.duration.isExact } }

    @Turn func positionEstimated(_ isEstimated: Bool) {
        guard isEstimated != loading.isPositionEstimated else { return }
        hub.change([.isPositionEstimated]) { loading.isPositionEstimated = isEstimated }
    }

    /// Replaces an estimated duration of the item by the position of its real end, before the end of the item is reported (R-EOI-08). The duration
    /// stays estimated if the position is.
    @Turn func correctDuration(toEnd end: CMTime) {
        guard !loading.duration.isExact, end.isNumeric, settings.endTime.isNumeric == false, loading.info?.isLive == false else { return }
        let (frames, rate) = (end.value, Int(end.timescale))
        durationChanged(loading.isPositionEstimated ? .estimated(frames: frames, sampleRate: rate) : .exact(frames: frames, sampleRate: rate))
    }

    // MARK: Seeks before the item is current

    @Turn func setPendingStart(_ time: CMTime, completion: SeekCoordinator.Completion?) {
        completeStart(false)
        pendingStart = time
        startCompletion = completion
    }

    @Turn func setHeld(_ isHeld: Bool) { waitsForMedium = isHeld }

    @Turn func completeStart(_ finished: Bool) {
        guard let completion = startCompletion else { return }
        startCompletion = nil
        Turn.enqueueOnMain { completion(finished) }
    }
}

extension ItemID {
    private static let counter = Atomic<UInt64>(0)
    /// Returns a new item identity, which no other item has or had.
    static func next() -> ItemID { ItemID(rawValue: counter.add(1, ordering: .relaxed).newValue) }
}
