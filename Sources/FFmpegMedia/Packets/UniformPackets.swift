import CFFmpeg

/// Computes the number of samples in packets of codecs in which all packets decode to the same number of samples (AAC, AC-3, DTS, MLP).
struct UniformPackets {
    private let codec: AVCodecID
    private let samples: Int64
    /// The sample rate that the first packet of ADTS or AC-3 states; nil before the first packet. In joined files of ADTS or AC-3, later packets may
    /// have another sample rate.
    private var firstRate: Int?

    private static let codecs = [
        AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_DTS, AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD,
    ]

    /// Makes the computation for a codec; nil if the codec's packets have different numbers of samples. `samples` is the usual number of samples in a
    /// decoded frame.
    init?(_ codec: AVCodecID, samples: Int64) {
        guard UniformPackets.codecs.contains(where: { $0 == codec }) else { return nil }
        self.codec = codec
        self.samples = samples
    }

    /// Returns the number of samples in a packet, at the sample rate of the first packet. A packet of another sample rate counts by its duration.
    mutating func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        guard let rate = statedRate(bytes) else { return samples }
        let first = firstRate ?? rate
        firstRate = first
        return rate == first ? samples : Ratio(from: rate, to: first).outputFrames(samples)
    }

    /// Returns the sample rate in the header of an ADTS packet (ISO/IEC 13818-7, 6.2) or of an AC-3 packet; nil if the header is absent or invalid.
    private func statedRate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count > 6 else { return nil }
        if codec == AV_CODEC_ID_AAC, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 {
            let rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350]
            let index = Int(bytes[2] >> 2 & 0x0F)
            return index < rates.count ? rates[index] : nil
        }
        return codec == AV_CODEC_ID_AC3 ? AC3Header.sampleRate(bytes) : nil
    }
}
