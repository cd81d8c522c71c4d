import CFFmpeg

/// Computes the number of samples to which a packet decodes, from the bytes of the packet, so that packets can be counted without decoding. Each
/// family of codecs has a type of its own for its packets, which `PacketMeter` selects.
final class PacketMeter {
    private let parameters: UnsafeMutablePointer<AVCodecParameters>
    private let codec: AVCodecID
    /// The sample rate of the stream, at which all samples are counted. A frame of another sample rate (in joined files) counts by its duration.
    private let sampleRate: Int
    private var uniform: UniformPackets?
    private let vorbis: VorbisPackets?
    private let windowsMedia: WindowsMediaPackets?
    private let alac: ALACPackets?
    /// STREAMINFO, the first metadata block of a FLAC stream; nil for other codecs.
    let flac: FLACStreamInfo?
    private var invalidBytes: InvalidBytes

    /// The usual number of samples in a decoded frame of the stream. A WavPack packet that states more than twice as many samples is damaged.
    private let firstFrame: Int64
    /// Whether FFmpeg itself computes the number of samples in this stream's packets correctly.
    private let trustsFFmpeg: Bool

    /// - Parameters:
    ///   - firstFrame: The usual number of samples in a decoded frame of the stream (`StreamStart.frameSize`).
    ///   - firstPacket: The size of the first packet that could be decoded, in bytes; 0 if it decoded to several frames.
    ///   - meanFrameSize: The average size of the frames of MPEG audio or AC-3 without container, in bytes; otherwise nil.
    init(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>, sampleRate: Int, firstFrame: Int, firstPacket: Int32, meanFrameSize: Double? = nil
    ) {
        self.sampleRate = sampleRate
        self.firstFrame = Int64(firstFrame)
        self.parameters = parameters
        let codec = parameters.pointee.codec_id
        self.codec = codec
        let isPulseCode = av_get_exact_bits_per_sample(codec) > 0
        trustsFFmpeg = isPulseCode || (firstPacket > 0 && Int(av_get_audio_frame_duration2(parameters, firstPacket)) == firstFrame)
        uniform = UniformPackets(codec, samples: Int64(firstFrame))
        vorbis = VorbisPackets(parameters)
        windowsMedia = WindowsMediaPackets(parameters)
        alac = ALACPackets(parameters)
        flac = codec == AV_CODEC_ID_FLAC ? FLACStreamInfo(parameters) : nil
        invalidBytes = InvalidBytes(meanFrameSize: meanFrameSize)
    }

    /// Discards what the meter remembers of preceding packets, after a seek.
    func reset() {
        invalidBytes.reset()
        vorbis?.reset()
    }

    /// The number of samples that were lost before the packet that was measured last, estimated from the invalid bytes before it.
    var gap: Int64 { invalidBytes.gap }

    /// Returns the number of samples to which `packet` decodes; nil if only decoding the packet shows this number. `samples(in:)` must be called for
    /// each packet, in order.
    func samples(in packet: UnsafePointer<AVPacket>) -> Int64? {
        guard let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
        let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
        if let samples = uniform?.samples(in: bytes) {
            guard codec == AV_CODEC_ID_AC3 else { return samples }
            return AC3Header.isFrame(bytes) ? invalidBytes.accept(frame: samples, trailing: 0) : invalidBytes.skip(bytes)
        }
        if let vorbis { return vorbis.samples(in: bytes) }
        switch codec {
        case AV_CODEC_ID_MP3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP1: return mpegSamples(bytes)
        case AV_CODEC_ID_FLAC: return FLACFrameHeader(bytes).map { Int64($0.blockSize) }
        case AV_CODEC_ID_OPUS: return OpusPacket.samples(bytes)
        case AV_CODEC_ID_EAC3: return AC3Header.enhancedSamples(bytes)
        case AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2: return windowsMedia?.samples(in: bytes)
        case AV_CODEC_ID_ALAC: return alac?.samples(in: bytes)
        case AV_CODEC_ID_WAVPACK: return WavPackBlock(bytes).flatMap { $0.samples > 0 && $0.samples <= 2 * firstFrame ? $0.samples : nil }
        // In PCM of a DVD, packets share frames: one packet begins a frame, and the next packet ends it.
        case AV_CODEC_ID_PCM_DVD: return nil
        default: break
        }
        guard trustsFFmpeg else { return nil }
        let count = av_get_audio_frame_duration2(parameters, packet.pointee.size)
        return count > 0 ? Int64(count) : nil
    }

    /// Returns whether `packet` has `samples` samples even if it is measured without the packet before it.
    func standsAlone(_ packet: UnsafePointer<AVPacket>, measuring samples: Int64?) -> Bool {
        if codec == AV_CODEC_ID_PCM_DVD { return false }
        guard let vorbis, let data = packet.pointee.data, packet.pointee.size > 0 else { return true }
        return vorbis.samplesAlone(in: UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))) == samples
    }

    /// Returns the number of samples in a packet of MPEG audio; 0 if the packet has no frame, but only invalid bytes.
    private func mpegSamples(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard let header = MPEGAudioHeader(bytes) else { return invalidBytes.skip(bytes) }
        let samples = Ratio(from: header.sampleRate, to: sampleRate).outputFrames(Int64(header.samples))
        return invalidBytes.accept(frame: samples, trailing: header.frameSize > 0 ? max(0, bytes.count - header.frameSize) : 0)
    }

    /// Returns the position that `packet` itself states, in samples from the start of its stream; nil if the packet states none.
    func position(of packet: UnsafePointer<AVPacket>) -> Int64? {
        guard let flac, let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
        return FLACFrameHeader(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))).flatMap { flac.range(of: $0)?.lowerBound }
    }
}

/// Counts the bytes of a stream without container that belong to no compressed frame, and estimates how many samples were lost with them.
struct InvalidBytes {
    /// The average size of the stream's frames, in bytes; nil if the stream has a container, which states gaps itself.
    private let meanFrameSize: Double?
    /// The number of bytes since the last valid frame that belong to no frame.
    private var count = 0
    /// The number of samples that were lost before the last packet, estimated from the invalid bytes. Bytes that belong to no frame count as lost
    /// audio only if another frame follows them: at the end of a file they are a tag.
    private(set) var gap: Int64 = 0

    init(meanFrameSize: Double?) { self.meanFrameSize = meanFrameSize }

    /// Sets the count of invalid bytes to 0, after a seek.
    mutating func reset() {
        count = 0
        gap = 0
    }

    /// Counts all bytes of a packet without a frame as invalid. Returns 0, the number of samples in such a packet.
    mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        gap = 0
        count += bytes.count
        return 0
    }

    /// Estimates from the invalid bytes before a valid frame how many samples were lost (`gap`). Begins to count again with the `trailing` invalid
    /// bytes after the frame in its packet. Returns `samples`, the number of samples in the frame.
    mutating func accept(frame samples: Int64, trailing: Int) -> Int64 {
        gap = 0
        if let meanFrameSize, meanFrameSize > 0, count > 0 { gap = Int64(bounded: (Double(count) / meanFrameSize).rounded() * Double(samples)) }
        count = trailing
        return samples
    }
}
