import PlaybackEngine

/// The `AudioReader` of one open medium.
final class FFmpegReader: AudioReader {
    private(set) var info: MediaInfo
    /// The audio stream in the format of the medium.
    private let stream: any SampleSource
    /// The audio stream in the requested format: `stream` itself, or its conversion.
    private var output: any SampleSource
    /// The start of the medium's audio relative to output frame 0, in output frames.
    private var offset = 0.0

    /// The quality of the conversion to another sample rate.
    private var resampler = Resampler.best
    /// Whether seeks may land on estimated positions: the medium is played (not only examined or rendered), and no precise duration was requested.
    private var allowsEstimates = false
    private var seekProgress: SeekProgress?
    /// The source of all bytes of the medium. It has a budget for reading without audio, which each call of the reader renews.
    private var source: BudgetedSource?

    /// The maximum number of frames in a block that the reader returns.
    private static let blockFrames = 8192

    init(_ stream: any SampleSource, info: MediaInfo) {
        self.stream = stream
        self.info = info
        output = stream
    }

    /// Sets the artwork of a media file that contains no picture to the picture file in its folder. Must be called before the reader is passed to
    /// another thread.
    func setFolderPicture(_ picture: Artwork?) { info.artwork = picture }

    /// Sets the quality of conversions to another sample rate. Must be called before the reader is passed to another thread.
    func setResampler(_ resampler: Resampler) { self.resampler = resampler }

    /// Allows seeks to land on estimated positions. Must be called before the reader is passed to another thread.
    func allowEstimates() { allowsEstimates = true }

    /// Sets the source whose budget each call renews. Must be called before the reader is passed to another thread.
    func setSource(_ source: BudgetedSource) { self.source = source }

    /// Sets the object that receives the progress of long seeks. Must be called before the reader is passed to another thread.
    func setSeekProgress(_ progress: SeekProgress) {
        seekProgress = progress
        stream.setSeekProgress(progress)
    }

    /// Sets the log of timed metadata (those that apply from a position in the medium on), and adds the facts about a radio station to the medium's
    /// metadata. Must be called before the reader is passed to another thread.
    func setTimedMetadata(_ log: TimedMetadataLog) {
        info.metadata += log.station
        stream.setTimedMetadata(log)
    }

    var skippedPackets: Int { stream.skippedPackets }
    var duration: MediaDuration { output.duration }

    func setOutputFormat(_ format: AudioFormat) throws(PlaybackError) { try setOutputFormat(format, offset: 0) }

    func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError) {
        self.offset = offset
        output = format == stream.format ? stream : try Conversion(stream, to: format, offset: offset, resampler)
    }

    /// The time from the end of the last output frame to the exact end of the audio, in output frames. Without a conversion the audio lasts a whole
    /// number of frames, so its end is as far from the end of a frame as its start was (`offset`).
    var remainder: Double { (output as? Conversion)?.remainder ?? offset }

    func keepEndOpen(_ isOpen: Bool) { (output as? Conversion)?.keepEndOpen(isOpen) }

    var awaitsFollower: Bool { (output as? Conversion)?.awaitsFollower ?? false }

    func finish(with next: (any AudioReader)?) throws(PlaybackError) {
        let next = next as? FFmpegReader
        // The conversion computes the end of this medium from the beginning of the next, so both media need new budgets.
        source?.beginReading()
        next?.source?.beginReading()
        try (output as? Conversion)?.finish(with: next?.output as? Conversion)
    }

    func read() throws(PlaybackError) -> AudioBlock? {
        source?.beginReading()
        return try AudioBlock(capacity: FFmpegReader.blockFrames, channelCount: output.format.channelCount) { samples throws(PlaybackError) in
            let count = try output.fill(samples, capacity: FFmpegReader.blockFrames)
            return (count, output.position - Int64(count))
        }
    }

    var isPositionEstimated: Bool { output.isPositionEstimated }
    func examine() throws(PlaybackError) -> Bool {
        source?.beginReading()
        return try output.examine()
    }

    func seek(to position: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        try seek(to: position, before: before, after: after, allowsEstimate: false)
    }

    func seek(to position: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        // Below 2⁴⁸ frames no arithmetic in a seek can overflow, and no medium has as many.
        let limit: Int64 = 1 << 48
        source?.beginSearching()
        seekProgress?.begin()
        defer { seekProgress?.end() }
        return try output.seek(
            to: max(0, min(position, limit)), before: max(0, min(before, limit)), after: max(0, min(after, limit)),
            allowsEstimate: allowsEstimate && allowsEstimates)
    }
}
