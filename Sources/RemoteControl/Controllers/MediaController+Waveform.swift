import Player

/// The requests for the waveforms of items.
extension MediaController {
    /// The permitted numbers of points, and the number without a parameter.
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

    /// Off the main actor, because thousands of numbers take a millisecond.
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
