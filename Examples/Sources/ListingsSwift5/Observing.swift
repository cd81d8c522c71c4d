// Code as it was written before Swift had actors: plain classes, closures, no isolation. It compiles unchanged in Swift 5 mode.
import AVFoundation

/// Observes a player and its item by names, as older code does. Two edits were needed: the names, because `#keyPath` needs the Objective-C runtime, and
/// the base class, which is `NSObject` on Apple's systems.
class NamedPropertyObserver: KeyValueObserver {
    private static var context = 0
    let player: AVPlayer
    var isPlaying = false

    init(player: AVPlayer) {
        self.player = player
        super.init()
        player.addObserver(self, forKeyPath: "timeControlStatus", options: [.old, .new], context: &Self.context)
        player.addObserver(self, forKeyPath: "currentItem.status", options: [.initial, .new], context: &Self.context)
    }

    deinit {
        player.removeObserver(self, forKeyPath: "timeControlStatus", context: &Self.context)
        player.removeObserver(self, forKeyPath: "currentItem.status", context: &Self.context)
    }

    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
    ) {
        guard context == &Self.context else {
            super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
            return
        }
        guard let number = change?[.newKey] as? NSNumber else { return }
        if keyPath == "timeControlStatus" {
            isPlaying = AVPlayer.TimeControlStatus(rawValue: number.intValue) == .playing
        } else if AVPlayerItem.Status(rawValue: number.intValue) == .failed {
            print(player.currentItem?.error?.localizedDescription ?? "failed")
        }
    }
}

/// Observes the status of an item by a Swift key path, in one line.
class ReadinessObserver: NSObject {
    let requiredAssetKeys = ["playable", "hasProtectedContent"]
    let player: AVPlayer
    let playerItem: AVPlayerItem
    private var statusObservation: NSKeyValueObservation?

    init(url: URL, whenReady: @escaping (AVPlayerItem) -> Void, whenFailed: @escaping (Error?) -> Void) {
        let asset = AVAsset(url: url)
        playerItem = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: requiredAssetKeys)
        player = AVPlayer()
        super.init()
        // The item is observed before a player has it, so that no change of its status is missed.
        statusObservation = playerItem.observe(\.status, options: [.old, .new]) { item, change in
            let status: AVPlayerItemStatus = change.newValue ?? .unknown
            switch status {
            case .readyToPlay: whenReady(item)
            case .failed: whenFailed(item.error)
            case .unknown: break
            @unknown default: break
            }
        }
        player.replaceCurrentItem(with: playerItem)
    }
}

/// Observes the position of a player: at a regular interval, and at each quarter of the duration.
class TimeObserver {
    let player: AVPlayer
    var timeObserverToken: Any?
    var boundaryToken: Any?
    var shownTime: Double = 0
    var quarter = 0

    init(player: AVPlayer) { self.player = player }

    func addPeriodicTimeObserver() {
        let timeScale = CMTimeScale(NSEC_PER_SEC)
        let time = CMTime(seconds: 0.5, preferredTimescale: timeScale)
        timeObserverToken = player.addPeriodicTimeObserver(forInterval: time, queue: .main) { [weak self] time in
            self?.shownTime = CMTimeGetSeconds(time)
        }
    }

    func addBoundaryTimeObserver(of asset: AVAsset) {
        let interval = CMTimeMultiplyByFloat64(asset.duration, 0.25)
        var currentTime = kCMTimeZero
        var times = [NSValue]()
        while currentTime < asset.duration {
            currentTime = currentTime + interval
            times.append(NSValue(time: currentTime))
        }
        boundaryToken = player.addBoundaryTimeObserver(forTimes: times, queue: DispatchQueue.main) { [weak self] in
            self?.quarter += 1
        }
    }

    func removeTimeObservers() {
        for token in [timeObserverToken, boundaryToken].compactMap({ $0 }) { player.removeTimeObserver(token) }
        timeObserverToken = nil
        boundaryToken = nil
    }
}
