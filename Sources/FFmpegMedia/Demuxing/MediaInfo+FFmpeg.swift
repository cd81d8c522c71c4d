import CFFmpeg
import PlaybackEngine

extension MediaInfo {
    init(_ stream: SampleStream, duration: MediaDuration) {
        let demuxer = stream.demuxer
        let context = demuxer.context
        let bitRate =
            demuxer.parameters.pointee.bit_rate > 0 ? demuxer.parameters.pointee.bit_rate : MediaInfo.bitRate(of: stream, lasting: duration)
        self.init(
            containerName: demuxer.traits.name, codecName: String(cString: avcodec_get_name(demuxer.codec)), format: stream.format,
            bitsPerSample: stream.start.bitsPerSample, bitRate: bitRate > 0 ? Int(min(bitRate, PacketClock.furthest)) : nil, duration: duration,
            encoderDelay: stream.stated.delay, encoderPadding: stream.stated.padding,
            isSeekable: stream.isSeekable, isLive: MediaInfo.isLive(demuxer.io.source, duration), metadata: Metadata.entries(demuxer),
            chapters: Metadata.chapters(demuxer, lasting: duration), artwork: Metadata.artwork(context))
        (isFloat, isRepeatable) = (stream.start.isFloat, stream.start.traits.isRepeatable)
        // FFmpeg states the time in microseconds since 1970 if the container has it; otherwise it is the smallest number.
        let start = context.pointee.start_time_realtime
        if isLive, start > 0 { startDate = Double(start) / 1e6 }
    }

    /// Whether the server says that the stream is live, or neither server nor container states an end. A missing length is not enough: finite files
    /// are often sent without one.
    private static func isLive(_ source: any ByteSource, _ duration: MediaDuration) -> Bool {
        source.isLive || source.mayBeLive && duration == .unknown
    }

    /// The bits per second, without pictures and the bytes before the audio. Without length or duration, FFmpeg's number, which counts all bytes.
    private static func bitRate(of stream: SampleStream, lasting duration: MediaDuration) -> Int64 {
        let context = stream.demuxer.context, whole = context.pointee.bit_rate
        guard whole > 0, let size = stream.demuxer.io.source.length, let seconds = duration.seconds, seconds > 0 else { return whole }
        let pictures = (0..<Int(context.pointee.nb_streams)).reduce(Int64(0)) { sum, number in
            guard let other = context.pointee.streams[number]?.pointee, other.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 else { return sum }
            return sum + Int64(max(0, other.attached_pic.size))
        }
        let audio = size - max(pictures, stream.start.first.byte)
        return audio > 0 ? Int64(bounded: Double(audio) * 8 / seconds) : whole
    }
}
