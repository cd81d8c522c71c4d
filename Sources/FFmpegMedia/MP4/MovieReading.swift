import CFFmpeg
import PlaybackEngine

/// What Tonearm reads instead of FFmpeg's demuxer: edit lists, and the tables of a long plain audio track (`SampleTables`).
struct MovieReading {
    /// If Tonearm applies the edit lists itself.
    let header: MovieHeader?
    /// Tonearm applies them, or they have too many edits.
    let ignoresEdits: Bool
    /// Nil if FFmpeg reads them.
    let samples: SampleTableReader?

    /// - Parameter header: Nil if the medium is no MP4 file.
    init(_ header: MovieHeader?, _ io: IOContext) {
        self.header = io.source.isSeekable ? header.flatMap { $0.isPresent && $0.isUnderstood ? $0 : nil } : nil
        ignoresEdits = self.header != nil || (header?.multipliesByEdits ?? false)
        samples = self.header?.samples.map { SampleTableReader($0, io) }
    }

    /// The bit rate in local media, which FFmpeg does not know from the first samples, and iTunes' priming for `samples`. Nothing if FFmpeg reads
    /// all.
    ///
    /// Throws `corruptMedia` if the played stream is not the track of the tables.
    func complete(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>, _ stream: UnsafeMutablePointer<AVStream>,
        _ context: UnsafeMutablePointer<AVFormatContext>
    ) throws(PlaybackError) {
        guard let samples else { return }
        // Another track than the only one: the header contradicts itself.
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
