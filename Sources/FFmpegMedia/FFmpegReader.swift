import CFFmpeg
import PlaybackEngine

/// One open medium.
final class FFmpegReader: AudioReader {
    let info: MediaInfo
    private let stream: any SampleSource
    private var conversion: Conversion?
    private var output: AudioFormat
    private var buffer: UnsafeMutableBufferPointer<Float>?

    /// Frames in a block, at most.
    private static let blockFrames = 8192

    init(_ stream: any SampleSource, info: MediaInfo) {
        self.stream = stream
        self.info = info
        output = info.format
    }

    deinit { buffer?.deallocate() }

    var skippedPackets: Int { stream.skippedPackets }

    var duration: MediaDuration {
        guard let conversion else { return stream.duration }
        return conversion.duration(stream.duration)
    }

    func setOutputFormat(_ format: AudioFormat) throws(PlaybackError) {
        output = format
        conversion = format == stream.format ? nil : try Conversion(stream, to: format)
    }

    func read() throws(PlaybackError) -> AudioBlock? {
        let channels = output.channelCount
        let position = conversion?.position ?? stream.position
        let capacity = FFmpegReader.blockFrames
        let buffer = staging(capacity * channels)
        let count = if let conversion { try conversion.fill(buffer, capacity: capacity) } else { try stream.fill(buffer, capacity: capacity) }
        guard count > 0 else { return nil }
        return AudioBlock(position: position, frameCount: count, channelCount: channels) { samples in
            samples.baseAddress?.update(from: buffer, count: count * channels)
        }
    }

    /// Room for `count` samples, kept from block to block.
    private func staging(_ count: Int) -> UnsafeMutablePointer<Float> {
        if let buffer, buffer.count >= count, let start = buffer.baseAddress { return start }
        buffer?.deallocate()
        let fresh = UnsafeMutablePointer<Float>.allocate(capacity: count)
        buffer = UnsafeMutableBufferPointer(start: fresh, count: count)
        return fresh
    }

    func seek(to position: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        if let conversion { return try conversion.seek(to: position, before: before, after: after) }
        return try stream.seek(to: position, before: before, after: after)
    }
}
