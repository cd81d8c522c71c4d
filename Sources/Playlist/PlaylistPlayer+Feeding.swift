import AVFoundation
import CoreMedia
import PlaybackEngine

/// What the queue player gets.
extension PlaylistPlayer {
    func makeQueued(_ entry: PlaylistEntry) -> Queued {
        let item = AVPlayerItem(asset: AVAsset(source: entry.spec.source, environment: environment))
        item.audioTimePitchAlgorithm = pitchAlgorithm
        let new = Queued(entryID: entry.id, item: item)
        observe(new)
        return new
    }

    /// Makes an entry's fresh item current, beginning at `start`; the requested rate stays.
    func load(_ entry: PlaylistEntry, startTime: Double? = nil) {
        let new = makeQueued(entry)
        if let startTime, startTime > 0 { new.item.seek(to: CMTime(remoteSeconds: startTime), toleranceBefore: .zero, toleranceAfter: .zero) }
        let former = queued
        queued = [new]
        for follower in former.dropFirst() { player.remove(follower.item) }
        if player.currentItem == nil { player.insert(new.item, after: nil) } else { player.replaceCurrentItem(with: new.item) }
        notifications.removeAll { observer in former.contains { $0.item === observer.object } }
        feed()
    }

    /// Gives the queue player what follows the current entry, and says what is to happen at its end.
    func feed() {
        guard let first = queued.first else { return }
        let wanted = actionAtItemEnd == .advance && !sleepsAtEnd ? book.following(Self.lookahead) : []
        var kept = 0
        while kept + 1 < queued.count, kept < wanted.count, queued[kept + 1].entryID == wanted[kept].id,
            queued[kept + 1].item.status != .failed
        {
            kept += 1
        }
        let surplus = Array(queued[(kept + 1)...])
        for entry in surplus { player.remove(entry.item) }
        drop(surplus)
        var last = queued.last ?? first
        for entry in wanted.dropFirst(kept) {
            let new = makeQueued(entry)
            guard player.canInsert(new.item, after: last.item) else { continue }
            queued.append(new)
            player.insert(new.item, after: last.item)
            last = new
        }
        let action: AVPlayer.ActionAtItemEnd = sleepsAtEnd || (actionAtItemEnd == .advance && queued.count < 2) ? .pause : actionAtItemEnd
        if player.actionAtItemEnd != action { player.actionAtItemEnd = action }
        publisher.scheduleUpdate()
    }

    /// Empties the queue player.
    func unload() {
        drop(queued)
        player.removeAllItems()
    }

    var currentQueued: Queued? { queued.first }

    /// The item that the queue player has for an entry.
    func openItem(of id: String) -> AVPlayerItem? { queued.first { $0.entryID == id }?.item }

    func isNextQueued(_ entry: PlaylistEntry) -> Bool { queued.count > 1 && queued[1].entryID == entry.id }

    func setVolume(_ newVolume: Double) {
        volume = newVolume
        player.volume = Float(newVolume)
    }

    func setActionAtItemEnd(_ action: AVPlayer.ActionAtItemEnd) {
        actionAtItemEnd = action
        feed()
        if queued.isEmpty { player.actionAtItemEnd = action }
    }

    func setPitchAlgorithm(_ algorithm: AVAudioTimePitchAlgorithm) {
        pitchAlgorithm = algorithm
        for entry in queued { entry.item.audioTimePitchAlgorithm = algorithm }
    }
}
