import CFFmpeg
import PlaybackEngine

/// Facts that decoding the first packets of a stream shows: the true format, and how the stream begins. If none of the first packets of a stream can
/// be decoded, the initializer throws.
struct StreamStart {
    let format: AudioFormat
    let traits: CodecTraits
    /// The number of frames to which a packet of the stream usually decodes: the size of the last `AVFrame` of the highest sample rate among those
    /// decoded to open the stream.
    let frameSize: Int
    /// The size, in bytes, of the first packet that could be decoded, if it decoded to one `AVFrame`; otherwise 0.
    let packetSize: Int32
    /// The number of frames that the encoder added before the original recording, as stated by the container or the decoder.
    let skippedSamples: Int
    /// iTunes' numbers of samples before and after an MP3 recording, if no LAME tag states them, and the size of the medium confirms them.
    let gapless: ITunesGapless?
    /// A description of the stream's first packet, by which this packet is recognised again.
    let first: SeekIndex.Entry
    /// The number of frames to which a new decoder decodes each of the stream's first packets. For some codecs, the first packets decode to fewer
    /// frames than later packets.
    let leadingSamples: [Int64]
    /// The first packets of the stream, which were read and decoded to learn its format. Playback takes their contents and decodes them again, so
    /// they are empty after that.
    let packets: [StoredPacket]
    /// The kind of the frames of MPEG audio or ADTS without a container; nil in other media.
    let run: FrameRun?
    /// The number of bits of each sample; nil if the codec is lossy, except WavPack, which states the number for lossy streams too.
    let bitsPerSample: Int?
    /// Whether the decoder returns floating-point numbers.
    let isFloat: Bool

    /// Returns the average size of the frames of a stream without container, in bytes; nil if it is unknown. For AC-3, it is the size of the first
    /// packet. Otherwise it comes from the Xing tag, or if there is none, from the bit rate of the first frame.
    func meanFrameSize(_ tag: XingTag?) -> Double? {
        if traits.isAC3 { return packetSize > 0 ? Double(packetSize) : nil }
        return packets.first.flatMap { StreamStart.meanFrameSize(tag, first: $0.raw) }
    }

    private static func meanFrameSize(_ tag: XingTag?, first: UnsafePointer<AVPacket>) -> Double? {
        if let tag, let frames = tag.frames, let bytes = tag.bytes { return Double(bytes) / Double(frames) }
        guard let data = first.pointee.data else { return nil }
        return MPEGAudioHeader(UnsafeBufferPointer(start: data, count: Int(max(0, first.pointee.size)))).map(\.meanFrameSize)
    }

    /// The maximum number of the stream's first packets that may fail to decode before the medium counts as damaged.
    private static let patience = 64

    init(_ demuxer: Demuxer) throws(PlaybackError) {
        var decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters)
        let packet = try PacketHandle()
        var packets: [StoredPacket] = [], leading: [Int64] = []
        var format: AudioFormat?, frameSize = 0, packetSize: Int32 = 0, skipped = 0, frames = 0, wanted = 1, isOver = false
        while frames < wanted, packets.count < StreamStart.patience + wanted, !isOver {
            if try demuxer.read(into: packet.raw) {
                // Encrypted audio is refused, because it would be decoded to noise.
                if av_packet_get_side_data(packet.raw, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil {
                    throw PlaybackError(.unsupportedFormat, "The medium is protected and cannot be decoded.")
                }
                packets.append(try StoredPacket(cloning: packet.raw))
                if packets.count == 1, demuxer.takeRate(from: packet.raw) {
                    decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters)
                }
                if try !decoder.send(packet.raw) {
                    guard let other = try TrueAudioLength.decoder(taking: packet.raw, of: demuxer) else { continue }
                    decoder = other
                }
            } else {
                isOver = true
                _ = try decoder.send(nil)
            }
            var samples = 0, isStart = frames == 0
            draining: while true {
                switch try decoder.receive() {
                case .frame: break
                case .corrupt:
                    if isOver { break draining } else { continue draining }
                case .needsPacket, .end: break draining
                }
                let frame = decoder.frame
                samples += Int(frame.pointee.nb_samples)
                guard let heard = StreamStart.format(of: frame) else { continue }
                if frames == 0 {
                    packetSize = packets.last?.raw.pointee.size ?? 0
                    skipped = SkipSamples(UnsafePointer(frame))?.start ?? 0
                    wanted = CodecTraits(demuxer.parameters, sampleRate: heard.sampleRate, frameSize: 1).framesToProbe
                }
                if (format?.sampleRate ?? 0) <= heard.sampleRate {
                    format = heard
                    frameSize = Int(frame.pointee.nb_samples)
                }
                frames += 1
                isStart = isStart || frames == 1
            }
            if frames == 1, samples != frameSize { packetSize = 0 }
            if isStart, !isOver { leading.append(Int64(samples)) }
            try demuxer.io.check()
        }
        guard let format else {
            if decoder.lacksFeature || StreamStart.isTooDeep(demuxer) { throw .noDecoder }
            throw packets.isEmpty
                ? PlaybackError(.corruptMedia, "The medium contains no readable audio.")
                : PlaybackError(.corruptMedia, "The audio is damaged: no part of it could be decoded.")
        }
        self.format = format
        self.frameSize = frameSize
        self.packetSize = packetSize
        traits = CodecTraits(demuxer.parameters, sampleRate: format.sampleRate, frameSize: frameSize)
        guard let head = packets.first else { throw PlaybackError(.corruptMedia, "The medium contains no readable audio.") }
        first = SeekIndex.entry(for: head.raw, at: 0)
        gapless = StreamStart.gapless(demuxer, first: head.raw, frameSize: frameSize)
        skippedSamples = gapless.map { Int($0.priming) + XingTag.decoderDelay } ?? StreamStart.encoderDelay(demuxer, decoder: skipped)
        leadingSamples = leading
        self.packets = packets
        run = FrameRun(of: head.raw, in: demuxer)
        let exact = Int(av_get_exact_bits_per_sample(demuxer.codec)), stored = Int(decoder.context.pointee.bits_per_raw_sample)
        let packed = av_get_packed_sample_fmt(decoder.context.pointee.sample_fmt)
        isFloat = packed == AV_SAMPLE_FMT_FLT || packed == AV_SAMPLE_FMT_DBL
        let width = Int(av_get_bytes_per_sample(decoder.context.pointee.sample_fmt)) * 8
        // A WavPack stream may be lossless or lossy, and states its bits of a sample in both cases.
        let isWhole = traits.isLossless || exact > 0 || demuxer.codec == AV_CODEC_ID_WAVPACK
        let coded = Int(demuxer.parameters.pointee.bits_per_coded_sample)
        let valid =
            CodecTraits.isDirectStream(demuxer.codec)
            ? 1 : CodecTraits.isPulseCode(demuxer.codec) ? demuxer.pulseCode.validBits ?? ((1..<exact).contains(coded) ? coded : nil) : nil
        bitsPerSample = valid ?? (stored > 0 && isWhole ? stored : exact > 0 ? exact : traits.isLossless ? width : nil)
    }

    /// Whether the medium is FLAC of more than 24 bits, which FFmpeg 5.1 refuses as damaged; FFmpeg 6.0 (libavcodec 60) has introduced its decoder.
    private static func isTooDeep(_ demuxer: Demuxer) -> Bool {
        guard demuxer.codec == AV_CODEC_ID_FLAC, avcodec_version() >> 16 < 60, let extra = demuxer.parameters.pointee.extradata else { return false }
        return demuxer.parameters.pointee.extradata_size >= 34 && (Int(extra[12] & 1) << 4 | Int(extra[13] >> 4)) + 1 > 24
    }

    /// Returns the numbers of iTunes' tag in MP3 whose first packet is `first`; nil if the size of the medium does not confirm their sum within a
    /// sixteenth, because the medium was cut or joined, or its size is unknown.
    private static func gapless(_ demuxer: Demuxer, first: UnsafePointer<AVPacket>, frameSize: Int) -> ITunesGapless? {
        guard demuxer.codec == AV_CODEC_ID_MP3, demuxer.traits.container == .mpegAudio, demuxer.xing?.delay == nil, let gapless = demuxer.gapless,
            let length = demuxer.io.source.length, let mean = meanFrameSize(demuxer.xing, first: first)
        else { return nil }
        let found = Int64(bounded: Double(length - first.pointee.pos) / mean * Double(frameSize))
        let stated = gapless.priming + gapless.samples + gapless.padding
        return abs(found - stated) <= stated / 16 + 4096 ? gapless : nil
    }

    /// Returns the number of samples that the encoder added before the recording. `decoder` is the number that FFmpeg's decoder states.
    private static func encoderDelay(_ demuxer: Demuxer, decoder: Int) -> Int {
        guard demuxer.codec == AV_CODEC_ID_WMAV1 || demuxer.codec == AV_CODEC_ID_WMAV2 else { return decoder }
        // FFmpeg assumes that every encoder of Windows Media Audio adds the samples of two compressed frames, but FFmpeg's own encoder adds those of
        // only one.
        let encoder = av_dict_get(demuxer.context.pointee.metadata, "encoder", nil, 0)?.pointee.value.map { String(cString: $0) } ?? ""
        return encoder.utf8.starts(with: "Lavf".utf8) ? decoder / 2 : decoder
    }

    /// The highest sample rate: that to which FFmpeg decodes DSD1024, an eighth of 1024 · 48 kHz.
    private static let highestRate = 6_144_000

    /// Returns the audio format of a decoded `AVFrame`; nil if the format is not supported. Ambisonics count as the stereo to which they are mixed.
    static func format(of frame: UnsafePointer<AVFrame>) -> AudioFormat? {
        let rate = Int(frame.pointee.sample_rate), channels = Int(frame.pointee.ch_layout.nb_channels)
        guard (1...StreamStart.highestRate).contains(rate), (1...64).contains(channels) else { return nil }
        guard SampleConverter.supports(AVSampleFormat(rawValue: frame.pointee.format)) else { return nil }
        if AmbisonicMix(frame) != nil { return AudioFormat(sampleRate: rate, channelLayout: .stereo) }
        let isNamed = frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE
        let mask = isNamed ? frame.pointee.ch_layout.u.mask : 0
        let layout = mask.nonzeroBitCount == channels ? ChannelLayout(mask: mask) : ChannelLayout(count: channels)
        return AudioFormat(sampleRate: rate, channelLayout: layout)
    }
}
