import HTTPClient
import Platform
import PlaybackEngine

/// Opens the stream that a playlist of a server describes.
struct HLSOpening {
    let source: MediaSource
    let retryPolicy: RetryPolicy
    let interrupt: Interrupt

    /// The time within which a playlist must have arrived, in seconds.
    private static let playlistTime = 10.0

    /// Opens the stream of the playlist `content`, which was requested at `time`, and has come from `address`.
    ///
    /// Of several variants, the first one that can be opened is played. Throws the error of the best one if none can be opened.
    func open(_ content: [UInt8], from address: AnsweringAddress.Value, requestedAt time: HostTime) throws(PlaybackError) -> any HLSAudio {
        switch try HLSOpening.playlist(content, from: address) {
        case .media(let media):
            guard case .remote(let url) = source.location else { throw HLSOpening.error(.notPlaylist) }
            return try open(media, at: url, isNamedByPublic: false, from: address, requestedAt: time)
        case .master(let master): return try open(master, from: address)
        }
    }

    private func open(_ master: HLSMaster, from address: AnsweringAddress.Value) throws(PlaybackError) -> any HLSAudio {
        var failure: PlaybackError?
        for location in master.audioLocations(upTo: source.peakBitRate).prefix(HLSOpening.attemptLimit) {
            do throws(PlaybackError) {
                let url = try RemoteParts.resolve(location, against: address.url), time = MonotonicClock().now
                let parts = try RemoteParts(source, retryPolicy: retryPolicy, interrupt: interrupt)
                let (content, answer) = try HLSOpening.load(url, isNamedByPublic: address.isPublic, parts, isContinuation: false)
                guard case .media(let media) = try HLSOpening.playlist(content, from: answer, importing: master.variables) else {
                    throw PlaybackError(.unsupportedFormat, "A variant of the stream has variants itself, which is not supported.")
                }
                return try open(
                    media, at: url, isNamedByPublic: address.isPublic, from: answer, requestedAt: time, importing: master.variables)
            } catch {
                if interrupt.isRaised || [.cancelled, .busy, .outOfMemory].contains(error.code) { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? PlaybackError(.noAudio, "The stream has no variant with audio.")
    }

    /// The greatest number of variants that are tried.
    private static let attemptLimit = 8

    private func open(
        _ media: HLSMedia, at url: String, isNamedByPublic: Bool, from address: AnsweringAddress.Value, requestedAt time: HostTime,
        importing variables: HLSVariables = HLSVariables()
    ) throws(PlaybackError) -> any HLSAudio {
        let feed = HLSFeed(
            media, at: url, isNamedByPublic: isNamedByPublic, from: address, requestedAt: time, importing: variables, of: source,
            retryPolicy: retryPolicy)
        return feed.isLive ? try HLSLive(feed, interrupt: interrupt) : try HLSStream(feed, interrupt: interrupt)
    }

    // MARK: Playlists

    static func playlist(
        _ content: [UInt8], from address: AnsweringAddress.Value, importing variables: HLSVariables = HLSVariables()
    ) throws(PlaybackError) -> HLSPlaylist {
        do throws(HLSError) {
            return try HLSPlaylist(content, query: RemoteParts.query(of: address.url), importing: variables)
        } catch { throw HLSOpening.error(error) }
    }

    static func error(_ error: HLSError) -> PlaybackError { PlaybackError(.unsupportedFormat, error.message) }

    /// Loads the playlist at `url`, and returns its bytes and its address.
    ///
    /// - Parameter isNamedByPublic: Whether a playlist from a public address has named the URL, which must not be private then.
    static func load(
        _ url: String, isNamedByPublic: Bool, _ parts: RemoteParts, isContinuation: Bool
    ) throws(PlaybackError) -> (content: [UInt8], answer: AnsweringAddress.Value) {
        let answering = AnsweringAddress()
        let bytes = try parts.open(url, allowsPrivateAddresses: !isNamedByPublic, isContinuation: isContinuation, answering: answering)
        let deadline = parts.now + playlistTime
        var content: [UInt8] = []
        while true {
            let block = try bytes.readBlock(16_384)
            if block.isEmpty { break }
            content += block
            guard parts.now < deadline else { throw PlaybackError(.timedOut, "The playlist did not arrive in time.") }
            guard content.count <= HLSPlaylist.maximumSize else { throw error(.tooLarge) }
        }
        guard var answer = answering.value else { throw error(.notPlaylist) }
        // What a public server names stays public, also if a proxy is asked for it.
        answer.isPublic = answer.isPublic || isNamedByPublic
        return (content, answer)
    }
}

/// The audio of a stream, and the facts about it.
protocol HLSAudio: SampleSource {
    var info: MediaInfo { get }
}
