import Platform
import PlaybackEngine
import Player

/// The controller that answers with facts about media: about items of the queue, and about any URL that a client could add to the queue.
struct MediaController: Sendable {
    private static let keys = ["duration", "tracks", "commonMetadata", "metadata"]

    let player: any RemotePlayer
    let locator: MediaLocator
    let inspector: MediaInspector
    let waveforms: WaveformStore
    let maximumWait: Double

    // MARK: Items

    func details(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            let details = try player.knownDetails(itemID: request.variable("id"))
            return .json(await Self.encoded(details))
        }
    }

    /// Encodes the details of an item off the main actor, because the item's tags may contain a megabyte.
    @concurrent private static func encoded(_ details: ItemDetails) async -> [UInt8] {
        JSONWriter.object { writer in
            details.item.write(&writer)
            writer.member("loadedTimeRanges", array: details.loaded) { $0.object($1.write) }
            writer.member("seekableTimeRanges", array: details.seekable) { $0.object($1.write) }
            writer.member("metadata", array: details.facts?.metadata ?? []) { $0.object($1.write) }
        }
    }

    func chapters(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            let details = try player.knownDetails(itemID: request.variable("id"))
            guard let facts = details.facts else {
                if let failure = details.item.error { throw Problem(failure) }
                throw Problem(.itemNotReady, "The item has not been opened yet.")
            }
            return .json(await Self.encoded(facts.chapters))
        }
    }

    @concurrent private static func encoded(_ chapters: [MediaChapter]) async -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("chapters", array: chapters) { writer, chapter in
                writer.object { writer in
                    writer.member("title", String(chapter.title))
                    writer.member("start", chapter.start)
                    writer.member("end", chapter.end)
                }
            }
        }
    }

    // MARK: Assets

    func asset(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        guard let url = request.target.parameter("url") else {
            throw Problem(.invalidParameter, "The parameter \"url\" is required.", parameter: "url")
        }
        guard url.utf8.count <= MediaLocator.maximumURLLength else {
            let code = ProblemCode.tooLong(url, limit: MediaLocator.maximumURLLength, otherwise: .invalidParameter)
            throw Problem(code, "The URL is too long.", parameter: "url")
        }
        let parts = (request.target.parameter("keys") ?? "duration,tracks,commonMetadata").utf8.split(separator: UInt8(ascii: ","))
        let wanted = Self.keys.filter { key in parts.contains { $0.elementsEqual(key.utf8) } }
        guard !parts.isEmpty, parts.allSatisfy({ part in wanted.contains { $0.utf8.elementsEqual(part) } }) else {
            throw Problem(
                .invalidParameter, "\"keys\" must be one or more of \(Self.keys.joined(separator: ", ")), separated by commas.", parameter: "keys")
        }
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let entry: EntrySpec
            do throws(Problem) {
                entry = try await locator.locate(url, title: nil, pointer: "", isTrusted: request.isTrusted)
            } catch {
                throw error.inParameter("url")
            }
            let report = try await inspector.inspect(entry.source)
            return .json(Self.json(report, url: entry.url, keys: wanted))
        }
    }

    private static func json(_ report: AssetReport, url: String, keys: [String]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("url", url)
            writer.member("isPlayable", report.isPlayable)
            if keys.contains("duration") {
                writer.member("duration", ifPresent: report.duration)
                writer.member("isDurationExact", report.isDurationExact)
            }
            if keys.contains("tracks") { writer.member("tracks", array: report.tracks) { $0.object($1.write) } }
            if keys.contains("commonMetadata") { writer.member("commonMetadata", array: report.commonMetadata) { $0.object($1.write) } }
            if keys.contains("metadata") { writer.member("metadata", array: report.metadata) { $0.object($1.write) } }
        }
    }
}

extension ItemDetails.TimeRange {
    func write(_ writer: inout JSONWriter) {
        writer.member("start", start)
        // The seekable range of a stream that is seekable everywhere has no end, so its member `end` is omitted.
        writer.member("end", ifPresent: end.isFinite ? end : nil)
    }
}

extension MetadataEntry {
    fileprivate func write(_ writer: inout JSONWriter) {
        writer.member("key", key)
        writer.member("value", String(value))
    }
}

extension AssetReport.Track {
    fileprivate func write(_ writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("codec", codec)
        writer.member("sampleRate", sampleRate)
        writer.member("channels", channels)
        writer.member("bitRate", ifPresent: bitRate)
    }
}

extension RemotePlayer {
    /// Returns the details of an item; throws `item-not-found` if the queue has no entry with this id.
    func knownDetails(itemID id: String) throws(Problem) -> ItemDetails {
        guard let details = details(itemID: id) else { throw Problem(.itemNotFound, "There is no item with this id.") }
        return details
    }
}

/// The requests for the waveforms of items.
extension MediaController {
    /// The permitted numbers of points of a waveform, and the number for a request that states none.
    static let pointCounts = 1...2000
    static let standardPointCount = 800
    /// The time that a request waits for a complete waveform, in seconds; the analysis of a song takes less.
    static let standardWait = 1.0

    private struct Part: Sendable {
        var start: Double
        var end: Double?
        var count: Int
    }

    func waveform(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let count = try request.target.integer("points", in: Self.pointCounts) ?? Self.standardPointCount
        let start = try request.target.number("from", in: 0...WaveformAnalysis.maximumDuration) ?? 0
        let end = try request.target.number("to", in: 0...WaveformAnalysis.maximumDuration)
        let wait = try request.target.number("wait", in: 0...PlayerController.longestWait) ?? Self.standardWait
        if let end, end <= start { throw Problem(.invalidParameter, "\"to\" must be greater than \"from\".", parameter: "to") }
        return .onMainActor { () throws(Problem) -> HTTPResponse in
            let details = try player.knownDetails(itemID: request.variable("id"))
            let progress = try await waveforms.waveform(of: details.item.id, source: details.source, patience: min(wait, maximumWait))
            return .json(try await Self.encoded(progress, Part(start: start, end: end, count: count)))
        }
    }

    /// Encodes a waveform off the main actor, because thousands of numbers take a millisecond.
    @concurrent private static func encoded(_ progress: WaveformAnalysis.Progress, _ part: Part) async throws(Problem) -> [UInt8] {
        let waveform = progress.waveform
        // The stated duration may be an estimate, and shorter than the audio that was analysed.
        let duration = max(progress.duration ?? 0, waveform.duration)
        let end = progress.isComplete ? min(part.end ?? duration, duration) : part.end ?? duration
        guard part.start < end || part.start == 0 || !progress.isComplete else {
            var problem = Problem(.seekOutOfRange, "The item ends at \(JSONWriter.text(duration)) seconds.", parameter: "from")
            problem.end = duration
            throw problem
        }
        let bands =
            part.start < end
            ? waveform.bands(part.count, from: part.start, to: end, isComplete: progress.isComplete) : Waveform.Bands()
        return JSONWriter.object(capacity: 192 + 24 * part.count) { writer in
            writer.member("duration", duration)
            writer.member("from", part.start)
            writer.member("to", max(part.start, end))
            writer.member("analyzedDuration", waveform.duration)
            writer.member("isComplete", progress.isComplete)
            writer.member("resolution", waveform.resolution)
            writer.member("minimum", array: bands.minimum) { $0.number(($1 * 1e5).rounded() / 1e5) }
            writer.member("maximum", array: bands.maximum) { $0.number(($1 * 1e5).rounded() / 1e5) }
            writer.member("rms", array: bands.rms) { $0.number(($1 * 1e5).rounded() / 1e5) }
        }
    }
}
