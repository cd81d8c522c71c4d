public import CoreMedia
import Platform
public import PlaybackEngine

extension AVPlayerItem {
    /// True if all buffered audio has been heard (R-BUF-03).
    public nonisolated var isPlaybackBufferEmpty: Bool { read(.isPlaybackBufferEmpty) { bufferLevel?.isEmpty ?? true } }
    /// True if the buffer is at its capacity (R-BUF-04); never together with `isPlaybackBufferEmpty`.
    public nonisolated var isPlaybackBufferFull: Bool { read(.isPlaybackBufferFull) { bufferLevel.map { $0.isFull && !$0.isEmpty } ?? false } }
    /// A prediction whether playback continues without a stall (R-BUF-05).
    public nonisolated var isPlaybackLikelyToKeepUp: Bool { read(.isPlaybackLikelyToKeepUp) { bufferLevel?.isLikelyToKeepUp ?? false } }

    /// The times whose audio is loaded: all of an open local file; of a remote medium, from the heard position to the end of the buffer, or in
    /// reverse from the end of the buffer to the heard position (R-BUF-01). Empty before the item is ready. Observers are not notified of the
    /// position's progress.
    public nonisolated var loadedTimeRanges: [CMTimeRange] {
        read(.loadedTimeRanges) {
            guard ownStatus == .readyToPlay else { return [] }
            if case .file? = asset.source?.location {
                return duration.isNumeric ? [CMTimeRange(start: .zero, duration: duration)] : []
            }
            guard var end = bufferLevel?.end else { return [] }
            // The engine counts the decoded audio of the next item too.
            if isDurationExact { end = min(end, duration) }
            let position = currentTime()
            let (first, last) = owner.map { $0.engine.settings.rate < 0 } == true ? (end, position) : (position, end)
            return first < last ? [CMTimeRange(start: first, end: last)] : []
        }
    }
    /// The times to which the item can seek. Empty before the item is ready, and if the medium is not seekable (R-BUF-02).
    public nonisolated var seekableTimeRanges: [CMTimeRange] {
        read(.seekableTimeRanges) {
            guard ownStatus == .readyToPlay, mediaInfo?.isSeekable == true else { return [] }
            return [CMTimeRange(start: .zero, duration: duration.isNumeric ? duration : .positiveInfinity)]
        }
    }

    /// True for a seekable local file whose duration is estimated: the real end may be later, and a seek finds it (R-SEEK-22).
    package nonisolated var isEndEstimated: Bool {
        Turn.perform {
            guard case .file? = asset.source?.location, ownStatus == .readyToPlay, let mediaInfo else { return false }
            return mediaInfo.isSeekable && !mediaInfo.isLive && !isDurationExact
        }
    }

    /// Whether the item can seek to `time`: within the seekable ranges, including their ends; from 0 to any time if the end is only estimated.
    @Turn func canSeek(to time: CMTime) -> Bool {
        guard time.isNumeric, time >= .zero else { return false }
        if isEndEstimated { return true }
        return seekableTimeRanges.contains { $0.start <= time && time <= $0.end }
    }

    /// True if rates above 2 are possible (R-STEP-01). All `canPlay…` are false before the item is ready.
    public nonisolated var canPlayFastForward: Bool { isReady }
    /// True if rates between 0 and 1 are possible.
    public nonisolated var canPlaySlowForward: Bool { isReady }
    /// True if the rate −1 is possible.
    public nonisolated var canPlayReverse: Bool {
        Turn.perform { isReady && owner?.environment.canReverse == true && mediaInfo?.isSeekable == true }
    }
    /// True if rates between −1 and 0 are possible.
    public nonisolated var canPlaySlowReverse: Bool { canPlayReverse }
    /// True if rates below −1 are possible.
    public nonisolated var canPlayFastReverse: Bool { canPlayReverse }
    public nonisolated var canStepForward: Bool { Turn.perform { isReady && mediaInfo?.isSeekable == true } }
    public nonisolated var canStepBackward: Bool { canStepForward }

    private nonisolated var isReady: Bool { read(.capabilities) { ownStatus == .readyToPlay } }

    /// - Parameter new: The level; nil when the engine starts the item again.
    @Turn func bufferChanged(_ new: BufferLevel?) {
        let old = bufferLevel
        guard new != old else { return }
        var keys: [StateKey] = []
        if (old?.isEmpty ?? true) != (new?.isEmpty ?? true) { keys.append(.isPlaybackBufferEmpty) }
        if (old?.isFull ?? false) != (new?.isFull ?? false) { keys.append(.isPlaybackBufferFull) }
        if (old?.isLikelyToKeepUp ?? false) != (new?.isLikelyToKeepUp ?? false) { keys.append(.isPlaybackLikelyToKeepUp) }
        if old?.end != new?.end { keys.append(.loadedTimeRanges) }
        setBufferLevel(new, notifying: keys)
        updateDemand()
    }
}

extension CMTimeRange {
    /// Returns itself; Apple's arrays contain boxed values.
    public var timeRangeValue: CMTimeRange { self }
}

extension AVPlayerItem {
    /// The wait for the next attempt to reach the server; nil while the transfer works. Observable. During the wait, the item's status does not
    /// change, and buffered audio is played. Not in Apple's API.
    public nonisolated var connectionWait: ConnectionMonitor.Wait? { read(.connectionWait) { knownConnectionWait } }

    /// Gives the source the item's `connection`, and observes it.
    @Turn func observeConnection(of source: inout MediaSource) {
        source.monitor = connection
        guard let scheduler = owner?.environment.scheduler else { return }
        let changed: @MainActor @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            Turn.perform { self.connectionChanged() }
        }
        connection.observeWait { scheduler.async(changed) }
        updateDemand()
    }

    @Turn private func connectionChanged() {
        // R-STATUS-04: an item without a player does not change.
        guard owner != nil, phase != .failed else { return }
        let wait = connection.wait
        if wait != knownConnectionWait { setConnectionWait(wait) }
    }

    /// Tells the connection whether the item is current, and whether playback waits for the server.
    @Turn func updateDemand() {
        let isCurrent = owner?.playingItem === self
        let now = (owner?.environment ?? .default).clock.now
        connection.setDemand(isCurrent: isCurrent, isNeeded: isCurrent && (bufferLevel?.isEmpty ?? true), now: now)
    }

    /// Sets the capacity in bytes of the connection's buffer by the preferred duration (R-BUF-06); its default if there is no such duration, or the
    /// bit rate is unknown.
    @Turn func updateReserve() {
        guard let bytes = mediaInfo?.bytesPerSecond(length: connection.reserve?.length), settings.bufferDuration > 0 else {
            return connection.setCapacity(nil)
        }
        connection.setCapacity(Int64(min(1e12, settings.bufferDuration * bytes)))
    }
}

extension AVPlayerItem {
    /// The progress, 0…1, of a seek that takes longer than 0.5 s, for example in a medium without an index, where everything before the target is
    /// read. Observable. While no data arrive, it is 0 or keeps its last value (R-SEEK-23). Not in Apple's API.
    public nonisolated var seekProgress: Double? { read(.seekProgress) { knownSeekProgress } }

    @Turn func observeSeeks(in source: inout MediaSource) {
        guard let environment = owner?.environment else { return }
        let report = seekReport ?? SeekProgress(clock: environment.clock), scheduler = environment.scheduler
        setSeekReport(report)
        source.seekProgress = report
        let changed: @MainActor @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            Turn.perform { self.updateSeekProgress() }
        }
        report.observe { scheduler.async(changed) }
    }

    /// Publishes the progress. If the reading thread has reported nothing, the last published progress stays, or 0.
    @Turn func updateSeekProgress() {
        let isLate = owner.map { $0.playingItem === self && $0.seeks.isLate } ?? false
        let fraction = seekReport?.fraction ?? (isLate ? knownSeekProgress ?? 0 : nil)
        if fraction != knownSeekProgress { setSeekProgress(fraction) }
    }
}
