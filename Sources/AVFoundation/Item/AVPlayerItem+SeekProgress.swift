import Platform
import PlaybackEngine

extension AVPlayerItem {
    /// The part of the way to its target that a seek has passed which takes long, 0…1; nil if no seek of the item takes long. `seekProgress` is
    /// observable. A seek takes long in a medium without an index, because everything before the target is read. It also takes long if the source
    /// sends nothing; the part is then 0, or the last one that was known (R-SEEK-23). Apple's API has no property `seekProgress`.
    public var seekProgress: Double? {
        hub.access(.seekProgress)
        return knownSeekProgress
    }

    /// Gives the source of the item's medium the item's report of long seeks, and observes the report.
    func observeSeeks(in source: inout MediaSource) {
        guard let environment = owner?.environment else { return }
        let report = seekReport ?? SeekProgress(clock: environment.clock), scheduler = environment.scheduler
        setSeekReport(report)
        source.seekProgress = report
        report.observe { [weak self] in
            scheduler.async { [weak self] in self?.updateSeekProgress() }
        }
    }

    /// Publishes the progress of the player's pending seek, which the reading thread reports. If it reports nothing of a seek that takes long, the
    /// published progress stays, and is 0 at first.
    func updateSeekProgress() {
        let isLate = owner.map { $0.playingItem === self && $0.seeks.isLate } ?? false
        let fraction = seekReport?.fraction ?? (isLate ? knownSeekProgress ?? 0 : nil)
        if fraction != knownSeekProgress { MainTurn.perform { setSeekProgress(fraction) } }
    }
}
