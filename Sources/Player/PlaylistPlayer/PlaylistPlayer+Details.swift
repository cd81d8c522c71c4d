import AVFoundation
import CoreMedia
import Dispatch
public import Platform
public import PlaybackEngine
import Synchronization

/// The details of items, and inspections of media.
extension PlaylistPlayer {
    public func details(itemID: String) -> ItemDetails? {
        guard let entry = playlist.entry(itemID) else { return nil }
        let item = loader.item(of: itemID)
        return ItemDetails(
            item: model.describe(entry, open: item), source: entry.spec.source, loaded: item?.loadedTimeRanges.map(ItemDetails.TimeRange.init) ?? [],
            seekable: item?.seekableTimeRanges.map(ItemDetails.TimeRange.init) ?? [], facts: model.facts(of: itemID))
    }

    public nonisolated var opener: any MediaOpener { environment.opener }

    public func readArtwork(itemID: String, interrupt: AssetInterrupt, slot: SlotPool.Slot) async -> Artwork? {
        guard let entry = playlist.entry(itemID) else { return nil }
        if let url = describe(entry).picture { return await readPicture(at: url, of: entry, interrupt, slot) }
        let asset = AVAsset(source: entry.spec.source, environment: environment.holding(slot))
        asset.loadValuesAsynchronously(forKeys: ["commonMetadata"])
        interrupt.arm { asset.cancelLoading() }
        guard let found = try? await asset.load(.commonMetadata).first(where: { $0.commonKey == .commonKeyArtwork }), let bytes = found.bytes
        else {
            return nil
        }
        let artwork = Artwork(mimeType: found.dataType ?? "", data: bytes)
        model.keep(artwork, of: itemID)
        return artwork
    }

    /// Reads the picture at a URL for an entry; returns nil if it cannot be read.
    private func readPicture(at url: String, of entry: PlaylistEntry, _ interrupt: AssetInterrupt, _ slot: SlotPool.Slot) async -> Artwork? {
        // Entries of a feed often have the same picture.
        let found: Artwork?
        if let known = model.picture(at: url) {
            found = known
        } else {
            let source = MediaSource(.remote(url: url), allowsPrivateAddresses: entry.spec.source.allowsPrivateAddresses)
            let ending = Interrupt()
            interrupt.arm { ending.raise() }
            found = await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async { [opener] in
                    let picture = try? opener.picture(at: source, interrupt: ending)
                    withExtendedLifetime(slot) {}
                    continuation.resume(returning: picture)
                }
            }
        }
        if let found { model.keep(found, of: entry.id) }
        return found
    }

    public nonisolated func inspect(
        _ source: MediaSource, interrupt: AssetInterrupt, slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure> {
        let asset = AVAsset(source: source, environment: environment.holding(slot))
        // Loading begins before `interrupt` can cancel it: cancelling a loading that has not started has no effect (R-KEY-10).
        asset.loadValuesAsynchronously(
            forKeys: ["duration", "providesPreciseDurationAndTiming", "tracks", "playable", "commonMetadata", "metadata"])
        interrupt.arm { asset.cancelLoading() }
        do {
            let (duration, isExact, tracks) = try await asset.load(.duration, .providesPreciseDurationAndTiming, .tracks)
            let (isPlayable, common, all) = try await asset.load(.isPlayable, .commonMetadata, .metadata)
            return .success(
                AssetReport(
                    isPlayable: isPlayable, duration: duration.isNumeric ? duration.seconds : nil, isDurationExact: isExact,
                    tracks: tracks.map(AssetReport.Track.init), commonMetadata: common.compactMap(MetadataEntry.init),
                    metadata: all.compactMap(MetadataEntry.init)))
        } catch {
            return .failure(PlayerState.Failure(describing: error))
        }
    }
}

extension PlaybackEnvironment {
    /// Returns a copy of the environment, with which one medium can be opened once. The copy occupies `slot` until the opening has ended.
    fileprivate func holding(_ slot: SlotPool.Slot) -> PlaybackEnvironment {
        var environment = self
        environment.opener = SlotReleasingOpener(opener: opener, slot: slot)
        return environment
    }
}

extension ItemDetails.TimeRange {
    init(_ range: CMTimeRange) { self.init(start: range.start.seconds, end: range.end.seconds) }
}

extension AssetReport.Track {
    init(_ track: AVAssetTrack) {
        self.init(
            id: Int(track.trackID), codec: track.codecName, sampleRate: Int(track.sampleRate), channels: track.channelCount,
            bitRate: track.estimatedDataRate > 0 ? Int(track.estimatedDataRate) : nil)
    }
}

extension MetadataEntry {
    /// Makes an entry from a metadata item of AVFoundation; nil if its value is not text.
    init?(_ item: AVMetadataItem) {
        guard let text = item.stringValue else { return nil }
        self.init(key: item.key, value: text)
    }
}

/// Opens one medium, and then releases the slot.
final class SlotReleasingOpener: MediaOpener {
    private let opener: any MediaOpener
    private let slot: Mutex<SlotPool.Slot?>

    init(opener: any MediaOpener, slot: SlotPool.Slot) {
        self.opener = opener
        self.slot = Mutex(slot)
    }

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        defer { slot.withLock { $0 = nil } }
        return try opener.open(source, interrupt: interrupt)
    }
}

/// Cancels one inspection of a medium, for example if it takes too long. Any thread may use it.
public final class AssetInterrupt: Sendable {
    private enum State {
        case waiting
        case armed(@Sendable () -> Void)
        case raised
    }
    private let state = Mutex(State.waiting)

    public init() {}

    public var isRaised: Bool { state.withLock { if case .raised = $0 { true } else { false } } }

    /// Cancels the inspection, also if `arm` is called later.
    public func raise() {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            defer { state = .raised }
            if case .armed(let cancel) = state { return cancel }
            return nil
        }
        cancel?()
    }

    /// Sets the function that cancels; after `raise` it is called at once.
    public func arm(_ cancel: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            if case .raised = state { return true }
            state = .armed(cancel)
            return false
        }
        if isRaised { cancel() }
    }
}
