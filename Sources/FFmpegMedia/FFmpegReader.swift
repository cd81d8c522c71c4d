import PlaybackEngine

/// One open medium.
final class FFmpegReader: AudioReader {
    let info: MediaInfo
    /// The stream as opened, and the stream as delivered: the same, or its conversion to another format.
    private let stream: any SampleSource
    private var output: any SampleSource
    private var offset = 0.0

    /// Maximum number of frames in a block.
    private static let blockFrames = 8192

    init(_ stream: any SampleSource, info: MediaInfo) {
        self.stream = stream
        self.info = info
        output = stream
    }

    var skippedPackets: Int { stream.skippedPackets }
    var duration: MediaDuration { output.duration }

    func setOutputFormat(_ format: AudioFormat) throws(PlaybackError) { try setOutputFormat(format, offset: 0) }

    func setOutputFormat(_ format: AudioFormat, offset: Double) throws(PlaybackError) {
        self.offset = offset
        output = format == stream.format ? stream : try Conversion(stream, to: format, offset: offset)
    }

    /// Without conversion the audio lasts whole frames, so that only the offset remains.
    var remainder: Double { (output as? Conversion)?.remainder ?? offset }

    func read() throws(PlaybackError) -> AudioBlock? {
        try AudioBlock(capacity: FFmpegReader.blockFrames, channelCount: output.format.channelCount) { samples throws(PlaybackError) in
            let count = try output.fill(samples, capacity: FFmpegReader.blockFrames)
            return (count, output.position - Int64(count))
        }
    }

    func seek(to position: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        // No medium is as long as this, and no arithmetic below can overflow.
        let limit: Int64 = 1 << 48
        return try output.seek(to: max(0, min(position, limit)), before: max(0, min(before, limit)), after: max(0, min(after, limit)))
    }
}
