import Platform
import PlaybackEngine

extension AVPlayerItem {
    /// The progress of a seek of the item that takes longer than 0.5 s: the part of the distance to the target that has been read, 0…1; nil if no
    /// such seek is in progress. `seekProgress` is observable. In a medium without an index a seek takes long, because everything before the target
    /// is read. If a seek takes long because the source sends nothing, the progress is 0, or keeps its last known value (R-SEEK-23). Apple's API has
    /// no property `seekProgress`.
    public var seekProgress: Double? {
        hub.access(.seekProgress)
        return knownSeekProgress
    }

    /// Gives the source of the item's medium an object for the progress of long seeks (`SeekProgress`), and observes the object.
    func observeSeeks(in source: inout MediaSource) {
        guard let environment = owner?.environment else { return }
        let report = seekReport ?? SeekProgress(clock: environment.clock), scheduler = environment.scheduler
        setSeekReport(report)
        source.seekProgress = report
        report.observe { [weak self] in
            scheduler.async { [weak self] in self?.updateSeekProgress() }
        }
    }

    /// Publishes the progress of the player's pending seek. The thread that reads the medium reports the progress. If the seek takes long and the
    /// thread has reported nothing, the last published progress stays, or 0 is published if there is none.
    func updateSeekProgress() {
        let isLate = owner.map { $0.playingItem === self && $0.seeks.isLate } ?? false
        let fraction = seekReport?.fraction ?? (isLate ? knownSeekProgress ?? 0 : nil)
        if fraction != knownSeekProgress { MainTurn.perform { setSeekProgress(fraction) } }
    }
}
