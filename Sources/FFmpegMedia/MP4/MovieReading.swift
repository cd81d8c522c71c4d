import CFFmpeg
import PlaybackEngine

/// The parts of an MP4 file that Tonearm reads instead of FFmpeg's demuxer: edit lists, and the tables of a long plain audio track (`SampleTables`).
struct MovieReading {
    /// The header, if Tonearm applies the edit lists itself.
    let header: MovieHeader?
    /// Whether FFmpeg ignores the edits: Tonearm applies them, or there are too many.
    let ignoresEdits: Bool
    /// The reader of the samples; nil if FFmpeg reads them.
    let samples: SampleTableReader?

    /// - Parameter header: The header; nil if the medium is no MP4 file.
    init(_ header: MovieHeader?, _ io: IOContext) {
        self.header = io.source.isSeekable ? header.flatMap { $0.isPresent && $0.isUnderstood ? $0 : nil } : nil
        ignoresEdits = self.header != nil || (header?.multipliesByEdits ?? false)
        samples = self.header?.samples.map { SampleTableReader($0, io) }
    }

    /// Sets the bit rate of a local medium, because FFmpeg cannot compute it from the few samples that it reads, and tells `samples` the priming that
    /// iTunes' tag states. Does nothing if FFmpeg reads all samples.
    ///
    /// Throws `corruptMedia` if the played stream is not the track of the tables.
    func complete(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>, _ stream: UnsafeMutablePointer<AVStream>,
        _ context: UnsafeMutablePointer<AVFormatContext>
    ) throws(PlaybackError) {
        guard let samples else { return }
        // The tables belong to the only audio track. If FFmpeg's stream is another track, the header contradicts itself.
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

/// iTunes' tag "iTunSMPB": hexadecimal numbers of the samples that the encoder added before and after the recording, and of the recording's samples.
struct ITunesGapless: Equatable {
    let priming: Int64
    let padding: Int64
    let samples: Int64

    init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let fields = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
        guard fields.count == 4, let priming = fields[1], let padding = fields[2], let samples = fields[3] else { return nil }
        guard (0..<65_536).contains(priming), (0..<65_536).contains(padding), samples > 0, samples < 1 << 48 else { return nil }
        self.priming = priming
        self.padding = padding
        self.samples = samples
    }
}
