import CFFmpeg

/// Computes the number of samples in packets of Vorbis without decoding them. It depends on the block size of the packet and on that of the packet
/// before it.
final class VorbisPackets {
    private let parser: OpaquePointer
    /// A second parser, which is reset before each packet, so that it measures the packet without regard to the preceding one.
    private let statelessParser: OpaquePointer

    /// Makes the parsers of Vorbis packets; nil if the codec is not Vorbis, or if the stream has no valid header.
    init?(_ parameters: UnsafePointer<AVCodecParameters>) {
        guard parameters.pointee.codec_id == AV_CODEC_ID_VORBIS, parameters.pointee.extradata_size > 0 else { return nil }
        func make() -> OpaquePointer? { av_vorbis_parse_init(parameters.pointee.extradata, parameters.pointee.extradata_size) }
        guard let parser = make() else { return nil }
        guard let statelessParser = make() else {
            VorbisPackets.free(parser)
            return nil
        }
        self.parser = parser
        self.statelessParser = statelessParser
    }

    deinit {
        VorbisPackets.free(parser)
        VorbisPackets.free(statelessParser)
    }

    private static func free(_ parser: OpaquePointer) {
        var parser: OpaquePointer? = parser
        av_vorbis_parse_free(&parser)
    }

    /// Discards the block size of the preceding Vorbis packet.
    func reset() { av_vorbis_parse_reset(parser) }

    /// Returns the number of samples in the next Vorbis packet; nil if the packet is malformed.
    func samples(in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        let count = av_vorbis_parse_frame_flags(parser, bytes.baseAddress, Int32(bytes.count), nil)
        return count >= 0 ? Int64(count) : nil
    }

    /// Returns the number of samples in a Vorbis packet without the packet before it; negative if the packet is malformed.
    func samplesAlone(in bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        av_vorbis_parse_reset(statelessParser)
        return Int64(av_vorbis_parse_frame_flags(statelessParser, bytes.baseAddress, Int32(bytes.count), nil))
    }
}
