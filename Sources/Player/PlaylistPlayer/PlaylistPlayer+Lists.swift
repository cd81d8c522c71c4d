import AVFoundation
import Platform
import PlaybackEngine

/// Entries whose medium is a playlist. After such an entry was opened, it is replaced by the media of the playlist.
extension PlaylistPlayer {
    /// The largest number of nested playlists.
    private static let maximumListDepth = 3

    /// Replaces an entry, whose medium turned out to be the playlist `list`, by the media of the playlist. Returns the error with which the item
    /// fails; nil if the entry was replaced, or if the queue no longer has the entry.
    ///
    /// - Parameter error: The error of the item if the playlist has no media.
    func expand(_ item: AVPlayerItem, _ list: MediaList, _ error: PlaybackError) -> PlaybackError? {
        guard let queued = loader.queued.first(where: { $0.item === item }), let entry = playlist.entry(queued.id) else { return nil }
        guard let media = list.media, !media.isEmpty else { return error }
        let lists = entry.spec.lists + [OuterText(entry.spec.url)]
        func refusal(_ message: String) -> PlaybackError { PlaybackError(.unsupportedFormat, message) }
        guard lists.count <= Self.maximumListDepth else {
            return refusal("The playlist is inside more than \(Self.maximumListDepth - 1) other playlists.")
        }
        guard playlist.entries.count - 1 + media.count <= PlaylistMachine.maximumCount else {
            return refusal("The queue cannot have more than \(PlaylistMachine.maximumCount) entries, and the playlist has \(media.count).")
        }
        var specs = media.map { spec(of: $0, in: entry, lists: lists) }
        specs[0].startTime = entry.spec.startTime
        guard let first = specs.firstIndex(where: { $0.failure == nil }) else {
            let failure = media[0].failure ?? refusal("The playlist contains itself.")
            return PlaybackError(
                failure.code, "Nothing in the playlist can be played. \(media[0].position): \(failure.message)", reason: failure.reason)
        }
        guard playlist.textSize + PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            return refusal("The URLs and titles of the playlist are too long for the queue.")
        }
        let isCurrent = queued === loader.current
        guard let entries = model.edit({ $0.expand(entry.id, into: specs, current: first) }) else { return nil }
        model.forgetFailure(of: entry.id)
        model.keepFailures(of: entries)
        if isCurrent { loader.load(entries[first]) } else { loader.replaceFollower(queued) }
        publisher.note(.queueChanged, isConsequence: true)
        return nil
    }

    /// Returns the specification of a medium of a playlist.
    private func spec(of medium: MediaList.Medium, in entry: PlaylistEntry, lists: [OuterText]) -> EntrySpec {
        var spec = EntrySpec(
            source: medium.source, url: medium.url, title: medium.title ?? entry.spec.title,
            failure: medium.failure.map(PlayerState.Failure.init(describing:)), addedBy: entry.spec.addedBy)
        if lists.contains(OuterText(medium.url)) {
            spec.failure = PlayerState.Failure(code: .unsupportedFormat, message: "The playlist contains itself.")
        }
        spec.lists = lists
        spec.listedDuration = medium.duration
        spec.publicationDate = medium.publicationDate
        spec.picture = medium.picture
        return spec
    }

    /// Whether `entry` is played instead of the entry `id`: both are media of the same playlist, and the entry `id` could not be opened.
    func isAlternative(_ entry: PlaylistEntry, to id: String) -> Bool {
        guard !entry.spec.lists.isEmpty, let other = playlist.entry(id), model.hasFailed(id) else { return false }
        return other.spec.lists == entry.spec.lists
    }
}
