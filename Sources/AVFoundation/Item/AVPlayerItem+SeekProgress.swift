import Platform
import PlaybackEngine

extension AVPlayerItem {
    /// The part of the distance, 0…1, of a seek that takes longer than 0.5 s, as without an index, because everything before the target is read.
    /// Observable. Without data it is 0, or keeps its last value (R-SEEK-23). Not in Apple's API.
    public var seekProgress: Double? {
        hub.access(.seekProgress)
        return knownSeekProgress
    }

    func observeSeeks(in source: inout MediaSource) {
        guard let environment = owner?.environment else { return }
        let report = seekReport ?? SeekProgress(clock: environment.clock), scheduler = environment.scheduler
        setSeekReport(report)
        source.seekProgress = report
        report.observe { [weak self] in
            scheduler.async { [weak self] in self?.updateSeekProgress() }
        }
    }

    /// If the reading thread has reported nothing, the last published progress stays, or 0.
    func updateSeekProgress() {
        let isLate = owner.map { $0.playingItem === self && $0.seeks.isLate } ?? false
        let fraction = seekReport?.fraction ?? (isLate ? knownSeekProgress ?? 0 : nil)
        if fraction != knownSeekProgress { MainTurn.perform { setSeekProgress(fraction) } }
    }
}
