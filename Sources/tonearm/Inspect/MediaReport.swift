import Foundation
import Platform
import PlaybackEngine

/// The report of `tonearm inspect` on one medium: text for users, JSON for programs.
struct MediaReport: Sendable {
    /// The path or URL of the medium, as given on the command line.
    var input: String
    var info: MediaInfo
    /// The measured loudness; nil if it was not measured.
    var measurement: LoudnessMeter.Measurement?
}

extension MediaReport {
    /// What the player makes of the samples of a medium, or cannot keep.
    enum Change: String {
        /// Integers of more than 24 bits, and floats of 64 bits, are rounded to the precision of 32-bit floats.
        case rounded
        /// No output takes the sample rate.
        case resampled
        /// The samples after a seek may differ from those of uninterrupted reading (`MediaInfo.isRepeatable`).
        case randomNoise

        var text: String {
            switch self {
            case .rounded: "rounded to \(AudioFormat.precision) bits"
            case .resampled: "played at most at \(AudioFormat.playableRates.upperBound) Hz"
            case .randomNoise: "noise of the decoder may differ after a seek"
            }
        }
    }

    var changes: [Change] {
        var changes: [Change] = []
        if (info.neededBits ?? 0) > AudioFormat.precision { changes.append(.rounded) }
        if info.format.sampleRate > AudioFormat.playableRates.upperBound { changes.append(.resampled) }
        if !info.isRepeatable { changes.append(.randomNoise) }
        return changes
    }

    /// The report as one line of JSON: an object with the members that Documentation/Commands.md lists, sorted by name. The member of an unknown value
    /// is absent.
    var json: String {
        guard let json = Wire(self).jsonLine else { preconditionFailure("every member must be finite") }
        return json
    }

    private struct Wire: Encodable {
        struct Duration: Encodable {
            var seconds: Double
            var frames: Int64
            var sampleRate: Int
            var isExact: Bool
        }
        struct Chapter: Encodable {
            var title: String
            var start: Double
            var end: Double
        }
        struct Picture: Encodable {
            var type: String
            var bytes: Int
        }

        struct Loudness: Encodable {
            var trackGain: Double?
            var trackPeak: Double?
            var albumGain: Double?
            var albumPeak: Double?
        }

        struct Measured: Encodable {
            var integrated: Double?
            var range: Double?
            var truePeak: Double?
            var samplePeak: Double?
            var clippedFrames: Int
        }

        var input: String
        var fileType: String
        var codec: String
        var sampleRate: Int
        var channels: Int
        var channelLayout: String
        var bitsPerSample: Int?
        var bitRate: Int?
        var duration: Duration?
        var encoderDelay: Int
        var encoderPadding: Int
        var isSeekable: Bool
        var isLive: Bool
        var changes: [String]?
        var tags: [String: String]
        /// The values of the tags that have several.
        var tagValues: [String: [String]]?
        var chapters: [Chapter]
        var artwork: Picture?
        var loudness: Loudness?
        var measuredLoudness: Measured?

        init(_ report: MediaReport) {
            let info = report.info
            input = report.input
            fileType = info.containerName
            codec = info.codecName
            sampleRate = info.format.sampleRate
            channels = info.format.channelCount
            channelLayout = info.format.channelLayout.name
            bitsPerSample = info.bitsPerSample
            bitRate = info.bitRate
            switch info.duration {
            case .unknown: duration = nil
            case .estimated(let frames, let rate), .exact(let frames, let rate):
                duration =
                    rate <= 0
                    ? nil : Duration(seconds: Double(frames) / Double(rate), frames: frames, sampleRate: rate, isExact: info.duration.isExact)
            }
            encoderDelay = info.encoderDelay
            encoderPadding = info.encoderPadding
            isSeekable = info.isSeekable
            isLive = info.isLive
            changes = report.changes.isEmpty ? nil : report.changes.map(\.rawValue)
            let values = Dictionary(grouping: info.metadata, by: \.key).mapValues { $0.map { String($0.value) } }
            let lists = values.filter { $0.value.count > 1 }
            tags = values.mapValues { $0.joined(separator: ", ") }
            tagValues = lists.isEmpty ? nil : lists
            chapters = info.chapters.filter { $0.start.isFinite && $0.end.isFinite }.map {
                Chapter(title: String($0.title), start: $0.start, end: $0.end)
            }
            artwork = info.artwork.map { Picture(type: $0.mimeType, bytes: $0.data.count) }
            measuredLoudness = report.measurement.map { found in
                func decibels(_ peak: Double) -> Double? { peak > 0 ? 20 * log10(peak) : nil }
                return Measured(
                    integrated: found.integrated, range: found.range, truePeak: decibels(found.truePeak), samplePeak: decibels(found.samplePeak),
                    clippedFrames: found.clippedFrames)
            }
            let loudnessTags = LoudnessTags(info)
            if loudnessTags != LoudnessTags() {
                loudness = Loudness(
                    trackGain: loudnessTags.trackGain, trackPeak: loudnessTags.trackPeak, albumGain: loudnessTags.albumGain,
                    albumPeak: loudnessTags.albumPeak)
            }
        }
    }
}
