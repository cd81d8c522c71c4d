// Code as it is written today: a model on the main actor, Combine for the properties that a view shows, and asynchronous functions for the rest.
import AVFoundation
import Combine
import Foundation

/// Loads a medium, and publishes the properties of the player that a view shows.
@MainActor public final class PlayerModel: ObservableObject {
    @Published private(set) public var isPlaying = false
    @Published private(set) public var isReady = false
    @Published private(set) public var currentTime = 0.0
    @Published private(set) public var duration = 0.0
    @Published public var title: String?

    public let player = AVPlayer()
    private var subscriptions = Set<AnyCancellable>()
    private var timeObserver: Any?

    public init() {
        player.publisher(for: \.timeControlStatus)
            .receive(on: DispatchQueue.main)
            .map { $0 == .playing }
            .removeDuplicates()
            .assign(to: &$isPlaying)
        player.publisher(for: \.rate).combineLatest(player.publisher(for: \.volume))
            .map { rate, volume in rate != 0 && volume > 0 }
            .sink { audible in print(audible ? "audible" : "silent") }
            .store(in: &subscriptions)
    }

    /// Loads a medium, and observes the status of its item. The observation begins before the player has the item, so that no change is missed.
    public func load(_ url: URL) {
        let asset = AVURLAsset(url: url)
        let item = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.tracks, .duration, .commonMetadata])
        item.publisher(for: \.status)
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .sink { [weak self] status in
                guard let self else { return }
                switch status {
                case .readyToPlay:
                    isReady = true
                    duration = item.duration.seconds
                case .failed: print(item.error?.localizedDescription ?? "failed")
                case .unknown: break
                @unknown default: break
                }
            }
            .store(in: &subscriptions)
        player.replaceCurrentItem(with: item)
    }

    /// Observes the status of an item with key-value observing instead of a publisher.
    public func observeStatus(of item: AVPlayerItem) -> NSKeyValueObservation {
        item.observe(\.status, options: [.new, .initial]) { [weak self] item, _ in
            // The status changes on the main queue, because the player changes it.
            MainActor.assumeIsolated { self?.isReady = item.status == .readyToPlay }
        }
    }

    public func observeTime() {
        let interval = CMTime(value: 1, timescale: 2)
        timeObserver = player.addPeriodicTimeObserver(forInterval: interval, queue: .main) { [weak self] time in
            MainActor.assumeIsolated { self?.currentTime = time.seconds }
        }
    }

    public func describe(_ asset: AVAsset) async throws {
        let (duration, metadata) = try await asset.load(.duration, .commonMetadata)
        let titles = AVMetadataItem.metadataItems(from: metadata, filteredByIdentifier: .commonIdentifierTitle)
        title = try await titles.first?.load(.stringValue)
        if case .loaded(let tracks) = asset.status(of: .tracks) { print(tracks.count, duration.seconds) }
        for group in try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: Locale.preferredLanguages) {
            print(group.timeRange.start.seconds, try await group.items.first?.load(.stringValue) ?? "")
        }
    }
}
