public import PlaybackEngine

/// An entry to be put into the playlist. The URL has been checked against the media roots and schemes; `display` is what the remote gave.
public struct EntrySpec: Sendable, Hashable {
    public var source: MediaSource
    /// The URL as it is shown to remotes.
    public var url: String
    public var title: String?
    /// Why it cannot be played, where that is known before anybody has tried: it is passed over until somebody asks for it.
    public var failure: PlayerState.Failure?
    public init(source: MediaSource, url: String, title: String? = nil, failure: PlayerState.Failure? = nil) {
        self.source = source; self.url = url; self.title = title; self.failure = failure
    }

    /// How many bytes of text it holds.
    var textSize: Int {
        let place =
            switch source.location {
            case .file(let path): path.utf8.count
            case .remote(let url): url.utf8.count
            }
        return place + url.utf8.count + (title?.utf8.count ?? 0) + (failure?.message.utf8.count ?? 0)
    }
}
