import CFFmpeg
import PlaybackEngine

/// The parts of an MP4 file that Tonearm reads instead of FFmpeg's demuxer: edit lists, and the sample tables of a long plain audio track
/// (`SampleTables`).
struct MovieReading {
    /// The header, if Tonearm applies the edit lists itself; otherwise nil.
    let header: MovieHeader?
    /// Whether FFmpeg must ignore the edit lists, because Tonearm applies them or because they have too many edits.
    let ignoresEdits: Bool
    /// The reader of the played track's samples; nil if FFmpeg reads them.
    let samples: SampleTableReader?

    /// - Parameter header: The header of an MP4 file; nil if the medium is not an MP4 file.
    init(_ header: MovieHeader?, _ io: IOContext) {
        self.header = io.source.isSeekable ? header.flatMap { $0.isPresent && $0.isUnderstood ? $0 : nil } : nil
        ignoresEdits = self.header != nil || (header?.multipliesByEdits ?? false)
        samples = self.header?.samples.map { SampleTableReader($0, io) }
    }

    /// Sets the average bit rate in local media, because FFmpeg does not know it if it has read only the first samples of the track. Also passes the
    /// priming in iTunes' tag (the number of samples that the encoder added before the recording) to `samples`. Does nothing if FFmpeg reads all
    /// samples.
    ///
    /// Throws the errors of the byte source, and `corruptMedia` if the played stream is not the track of the tables.
    func complete(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>, _ stream: UnsafeMutablePointer<AVStream>,
        _ context: UnsafeMutablePointer<AVFormatContext>
    ) throws(PlaybackError) {
        guard let samples else { return }
        // The tables belong to the file's only audio track. If FFmpeg finds another audio track, the header contradicts itself.
        guard Int64(stream.pointee.id) == samples.tables.track else {
            throw PlaybackError(.corruptMedia, "The medium's tracks contradict each other.")
        }
        let base = stream.pointee.time_base, ticks = stream.pointee.duration
        if !samples.isRemote, base.den > 0, ticks != CFFmpeg_noTimestamp(),
            let rate = try samples.bitRate(lasting: Double(ticks) * Double(base.num) / Double(base.den))
        {
            parameters.pointee.bit_rate = rate
        }
        if let entry = av_dict_get(context.pointee.metadata, "iTunSMPB", nil, 0), let value = entry.pointee.value,
            let gapless = ITunesGapless(String(cString: value))
        {
            samples.setPriming(gapless.priming)
        }
    }
}
