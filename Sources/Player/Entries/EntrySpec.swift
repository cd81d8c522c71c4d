public import Platform
public import PlaybackEngine

/// The specification of an entry: the facts that a client or a playlist states when the entry is added. The entry keeps them (`PlaylistEntry.spec`).
/// The URL of a specification has been checked against the media roots and the allowed schemes.
public struct EntrySpec: Sendable, Hashable {
    /// The id of an existing entry of the playlist, if the client has named one; otherwise nil. A specification with an id describes the same medium
    /// as the existing entry.
    public var id: String?
    public var source: MediaSource
    /// The URL of the entry's medium in the form that remotes see.
    public var url: String
    public var title: String?
    /// The position at which playback of the entry starts, in seconds of media time; nil means the remembered position of the medium, or its start.
    public var startTime: Double?
    /// The duration that a playlist or feed gives, in seconds; nil if none gives one. Clients see it until the medium was opened, and then the
    /// medium's own duration; the property itself does not change.
    public var listedDuration: Double?
    /// The date of publication that a feed gives, in seconds since 1970; nil if none gives one.
    public var publicationDate: Double?
    /// The URL of the picture that a feed states for a medium without a picture; nil if no feed states one. The URL may lead to private addresses
    /// only if the URL of the medium is permitted to. Clients do not see the picture's URL.
    public var picture: String?
    /// The reason why the entry cannot be played; nil if no such reason is known. An entry with a failure is skipped until a client
    /// requests the entry.
    public var failure: PlayerState.Failure?
    /// The name of the client that has added the entry; nil if it is unknown. The player sets it.
    public var addedBy: String?
    /// The URLs of the playlists through which the entry was found, the outermost first; empty for an entry that a client has added itself. These
    /// URLs are not saved for the next run of the program.
    public var lists: [OuterText] = []
    public init(
        id: String? = nil, source: MediaSource, url: String, title: String? = nil, startTime: Double? = nil, failure: PlayerState.Failure? = nil,
        addedBy: String? = nil
    ) {
        self.id = id; self.source = source; self.url = url; self.title = title; self.startTime = startTime; self.failure = failure
        self.addedBy = addedBy
    }

    /// The size of the specification's text (location, URL, title, message of the failure, name of the client, picture), in bytes of UTF-8.
    var textSize: Int {
        let location =
            switch source.location {
            case .file(let path): path.bytes.count
            case .remote(let url): url.utf8.count
            }
        return location + url.utf8.count + (title?.utf8.count ?? 0) + (failure?.message.utf8.count ?? 0) + (addedBy?.utf8.count ?? 0)
            + (picture?.utf8.count ?? 0)
    }
}

/// An entry of the playlist. The id of an entry never changes, and is not reused while the program runs.
public struct PlaylistEntry: Sendable, Hashable, Identifiable {
    public let id: String
    public var spec: EntrySpec
    public init(id: String, spec: EntrySpec) {
        self.id = id
        self.spec = spec
    }
}
