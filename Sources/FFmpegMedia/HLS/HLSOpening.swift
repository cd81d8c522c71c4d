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

    /// Opens the stream of the playlist `content`, which `address` has sent.
    ///
    /// Of several variants, the first one that can be opened is played. Throws the error of the best one if none can be opened.
    func open(_ content: [UInt8], from address: AnsweringAddress.Value) throws(PlaybackError) -> HLSStream {
        switch try playlist(content, from: address) {
        case .media(let media): return try open(media, from: address)
        case .master(let master): return try open(master, from: address)
        }
    }

    private func open(_ master: HLSMaster, from address: AnsweringAddress.Value) throws(PlaybackError) -> HLSStream {
        var failure: PlaybackError?
        for location in master.audioLocations.prefix(HLSOpening.attemptLimit) {
            do throws(PlaybackError) {
                let (content, answer) = try load(location, namedBy: address)
                guard case .media(let media) = try playlist(content, from: answer, importing: master.variables) else {
                    throw PlaybackError(.unsupportedFormat, "A variant of the stream has variants itself, which is not supported.")
                }
                return try open(media, from: answer)
            } catch {
                if interrupt.isRaised || [.cancelled, .busy, .outOfMemory].contains(error.code) { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? PlaybackError(.noAudio, "The stream has no variant with audio.")
    }

    /// The greatest number of variants that are tried.
    private static let attemptLimit = 8

    private func open(_ media: HLSMedia, from address: AnsweringAddress.Value) throws(PlaybackError) -> HLSStream {
        guard media.hasEnded else {
            throw PlaybackError(.unsupportedFormat, "The address is a live stream of HTTP Live Streaming (HLS), which is not supported.")
        }
        let timeline: HLSTimeline
        do throws(HLSError) { timeline = try HLSTimeline(media, at: MonotonicClock().now) } catch { throw HLSOpening.error(error) }
        return try HLSStream(HLSFeed(timeline, from: address, of: source, retryPolicy: retryPolicy), interrupt: interrupt)
    }

    private func playlist(
        _ content: [UInt8], from address: AnsweringAddress.Value, importing variables: HLSVariables = HLSVariables()
    ) throws(PlaybackError) -> HLSPlaylist {
        do throws(HLSError) {
            return try HLSPlaylist(content, query: RemoteParts.query(of: address.url), importing: variables)
        } catch { throw HLSOpening.error(error) }
    }

    private static func error(_ error: HLSError) -> PlaybackError { PlaybackError(.unsupportedFormat, error.message) }

    /// Loads a playlist that another one names, and returns its bytes and its address.
    private func load(
        _ location: String, namedBy address: AnsweringAddress.Value
    ) throws(PlaybackError) -> (content: [UInt8], answer: AnsweringAddress.Value) {
        let parts = try RemoteParts(source, retryPolicy: retryPolicy, interrupt: interrupt), answering = AnsweringAddress()
        let url = try RemoteParts.resolve(location, against: address.url)
        let bytes = try parts.open(url, allowsPrivateAddresses: !address.isPublic, isContinuation: false, answering: answering)
        let clock = MonotonicClock(), deadline = clock.now + HLSOpening.playlistTime
        var content: [UInt8] = []
        while true {
            let block = try bytes.readBlock(16_384)
            if block.isEmpty { break }
            content += block
            if interrupt.isRaised { throw .cancelled }
            guard clock.now < deadline else { throw PlaybackError(.timedOut, "The playlist did not arrive in time.") }
            guard content.count <= HLSPlaylist.maximumSize else { throw HLSOpening.error(.tooLarge) }
        }
        var answer = answering.value ?? address
        // What a public server names stays public, also if it names a playlist through a proxy.
        answer.isPublic = answer.isPublic || address.isPublic
        return (content, answer)
    }
}
