import CFFmpeg
import PlaybackEngine

extension MediaInfo {
    /// What an opened stream tells, of a medium that lasts `duration`.
    init(_ stream: SampleStream, duration: MediaDuration) {
        let demuxer = stream.demuxer
        let context = demuxer.context
        let bitRate = demuxer.parameters.pointee.bit_rate > 0 ? demuxer.parameters.pointee.bit_rate : context.pointee.bit_rate
        self.init(
            containerName: demuxer.name, codecName: String(cString: avcodec_get_name(demuxer.codec)), format: stream.format,
            bitsPerSample: stream.start.bitsPerSample, bitRate: bitRate > 0 ? Int(bitRate) : nil, duration: duration,
            encoderDelay: stream.delay, encoderPadding: stream.padding,
            isSeekable: stream.isSeekable, isLive: demuxer.io.source.isRemote && demuxer.io.source.length == nil, metadata: Metadata.entries(demuxer),
            chapters: Metadata.chapters(context), artwork: Metadata.artwork(context))
        // Microseconds since 1970, where the transport tells them; its "not known" is the smallest number.
        let start = context.pointee.start_time_realtime
        if isLive, start > 0 { startDate = Double(start) / 1e6 }
    }
}
