import CFFmpeg
import PlaybackEngine

/// Reads the samples of a plain audio track with the tables in the file (`SampleTables`), as FFmpeg's demuxer does with its index: one packet for
/// each sample. Its memory does not depend on the length of the medium. Used on the reader's thread; it shares the `IOContext` with FFmpeg, which
/// reads nothing meanwhile.
final class SampleTableReader {
    struct Sample: Equatable {
        let byte: Int64
        let size: Int64
        /// The time at which the sample begins, in ticks of the track's time scale.
        let time: Int64
    }
    let tables: SampleTables
    private let io: IOContext
    var isRemote: Bool { io.source.isRemote }
    private var sizes: TableWindow
    private var chunks: TableWindow
    /// The number of the next sample to read.
    private var next: Int64 = 0
    /// The sample that was looked up last: its number, its byte offset in the medium, and the number after the last sample of its chunk.
    private var known: (sample: Int64, byte: Int64, end: Int64)?
    /// The number of samples before the recording that iTunes' tag states; 0 without the tag.
    private var priming: Int64 = 0
    /// Whether the next packet is the first after the start or a seek: only in such a packet does FFmpeg's demuxer mark the samples that the encoder
    /// added.
    private var isEntering = true

    /// The greatest size of a sample, in bytes; packets of AAC and ALAC are smaller.
    private static let sizeLimit: Int64 = 16 << 20
    private static let byteLimit: Int64 = 1 << 60

    init(_ tables: SampleTables, _ io: IOContext) {
        self.tables = tables
        self.io = io
        let isRemote = io.source.isRemote
        sizes = TableWindow(tables.sizes.range, bits: tables.sizes.bits, isRemote: isRemote)
        chunks = TableWindow(tables.chunks.range, bits: tables.chunks.bits, isRemote: isRemote)
    }

    func setPriming(_ samples: Int64) { priming = samples }

    /// Returns the sample `number`, counted from 0; the track must have it. If its offset or size is impossible, `byte` is −1. Throws `corruptMedia`
    /// if the medium no longer contains the tables.
    func sample(_ number: Int64) throws(PlaybackError) -> Sample {
        var at: (sample: Int64, byte: Int64, end: Int64)
        if let known, known.sample <= number, number < known.end {
            at = known
        } else {
            let chunk = tables.chunk(of: number)
            at = (chunk.samples.lowerBound, try chunks.entry(chunk.number, io), chunk.samples.upperBound)
        }
        while at.sample < number {
            // The sizes in a chunk add up to less than 2⁴⁸: a size has 32 bits, and a chunk at most 2¹⁶ samples.
            at.byte &+= try sizes.entry(at.sample, io)
            at.sample += 1
        }
        known = at
        let size = try sizes.entry(number, io),
            isPossible = (0...SampleTableReader.byteLimit).contains(at.byte) && size <= SampleTableReader.sizeLimit
        return Sample(byte: isPossible ? at.byte : -1, size: size, time: tables.time(of: number))
    }

    /// Seeks to the last sample that begins at or before `time`, in ticks of the track's time scale.
    func seek(to time: Int64) {
        next = tables.sample(at: time)
        isEntering = true
    }

    /// Reads the next sample into `packet`, and sets the packet's fields as FFmpeg's demuxer does. Returns 0, or FFmpeg's error code. After an error,
    /// the next call reads the following sample, or the same one if the source has failed.
    func read(into packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>) throws(PlaybackError) -> Int32 {
        guard let raw = io.raw, next < tables.count else { return FFmpegError.endOfFile }
        let sample = try sample(next)
        guard sample.byte >= 0 else {
            next += 1
            return FFmpegError.invalidData
        }
        let landed = avio_seek(raw, sample.byte, SEEK_SET)
        guard landed == sample.byte else {
            if io.failure == nil { next += 1 }
            return landed < 0 ? Int32(clamping: landed) : FFmpegError.invalidData
        }
        let code = av_get_packet(raw, packet, Int32(sample.size))
        guard code >= 0 else {
            if io.failure == nil { next += 1 }
            return code
        }
        let number = next
        next += 1
        describe(packet, number, sample, of: stream)
        return 0
    }

    private func describe(
        _ packet: UnsafeMutablePointer<AVPacket>, _ number: Int64, _ sample: Sample, of stream: UnsafeMutablePointer<AVStream>
    ) {
        packet.pointee.stream_index = stream.pointee.index
        packet.pointee.pos = sample.byte
        packet.pointee.pts = sample.time
        packet.pointee.dts = sample.time
        packet.pointee.flags |= AV_PKT_FLAG_KEY
        // The last sample ends with the stream: the header may state a shorter length than the tables.
        let end = number + 1 < tables.count ? tables.time(of: number + 1) : stream.pointee.duration
        packet.pointee.duration = end > sample.time ? end - sample.time : usualDuration(packet, stream)
        if isEntering, priming > 0 { mark(packet, sample, of: stream) }
        isEntering = false
    }

    /// Returns the duration that the codec gives a packet of this size, in ticks of the stream's time base; 0 if unknown.
    private func usualDuration(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>) -> Int64 {
        guard let parameters = stream.pointee.codecpar, parameters.pointee.sample_rate > 0 else { return 0 }
        let frames = Int64(av_get_audio_frame_duration2(parameters, packet.pointee.size)), base = stream.pointee.time_base
        return frames > 0 ? av_rescale_rnd(1, frames * Int64(base.den), Int64(parameters.pointee.sample_rate) * Int64(base.num), AV_ROUND_DOWN) : 0
    }

    /// States in the packet how many of its first samples the encoder added.
    private func mark(_ packet: UnsafeMutablePointer<AVPacket>, _ sample: Sample, of stream: UnsafeMutablePointer<AVStream>) {
        let base = stream.pointee.time_base, rate = Int64(stream.pointee.codecpar.pointee.sample_rate)
        guard base.num > 0, base.den > 0 else { return }
        let left = priming - av_rescale(sample.time, rate * Int64(base.num), Int64(base.den))
        guard left > 0, let data = av_packet_new_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, 10) else { return }
        data.update(repeating: 0, count: 10)
        for byte in 0..<4 { data[byte] = UInt8(truncatingIfNeeded: left >> Int64(8 * byte)) }
    }

    /// Returns the bits per second from the byte offsets of the first and the last sample; nil if the first is not before the last. `duration` is the
    /// length of the track in seconds.
    func bitRate(lasting duration: Double) throws(PlaybackError) -> Int64? {
        let last = try sample(tables.count - 1), first = try sample(0)
        guard first.byte >= 0, last.byte > first.byte, duration > 0 else { return nil }
        return Int64(bounded: Double(last.byte + last.size - first.byte) * 8 / duration)
    }
}

/// A table of numbers of equal width, of which one part is in memory.
struct TableWindow {
    /// The byte range of the table in the medium.
    private let range: Range<Int64>
    /// The number of bits of an entry: 4, 8, 16, 32 or 64.
    private let bits: Int64
    /// The size of the part in memory, in bytes; a multiple of the width of every entry.
    private let size: Int64
    /// The start of the part in memory, in bytes from the start of the table.
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    /// The sizes of the part in memory, in bytes: enough for 4,096 samples (some 95 s), or for 9 minutes in a remote medium, where another part may
    /// cost a request far from the audio.
    static let localSize: Int64 = 16 << 10, remoteSize: Int64 = 96 << 10

    init(_ range: Range<Int64>, bits: Int64, isRemote: Bool) {
        self.range = range
        self.bits = bits
        size = isRemote ? TableWindow.remoteSize : TableWindow.localSize
    }

    /// Returns the entry `number`, counted from 0; the table must have it. Reads another part of the table if necessary. Throws `corruptMedia` if the
    /// medium no longer contains the entry.
    mutating func entry(_ number: Int64, _ io: IOContext) throws(PlaybackError) -> Int64 {
        let at = number * bits / 8, width = Int(max(1, bits / 8))
        if at < start || at + Int64(width) > start + Int64(bytes.count) {
            start = at / size * size
            bytes = try io.separateBytes((range.lowerBound + start)..<min(range.lowerBound + start + size, range.upperBound))
            guard at + Int64(width) <= start + Int64(bytes.count) else {
                bytes = []
                throw PlaybackError(.corruptMedia, "The tables of the medium have changed or are incomplete.")
            }
        }
        var value: UInt64 = 0
        let first = Int(at - start)
        for index in first..<(first + width) { value = value << 8 | UInt64(bytes[index]) }
        // Of the two entries in a byte, the first has the higher bits.
        if bits == 4 { value = number % 2 == 0 ? value >> 4 : value & 0xF }
        return Int64(bitPattern: value)
    }
}
