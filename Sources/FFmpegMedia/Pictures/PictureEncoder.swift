import CFFmpeg
import PlaybackEngine

enum PictureEncoder {
    /// 2 (the best) to 31; at 3, blocks are not visible.
    private static let quantiser: Int32 = 3
    /// Of zlib, 0 to 9; 3 takes a third of the default's time.
    private static let compression: Int32 = 3

    /// From YUV 4:2:0.
    static func jpeg(_ frame: PictureFrame, profile: [UInt8]) throws(PlaybackError) -> [UInt8] {
        let bytes = try encoded(frame, .jpeg)
        // After the start marker and the JFIF segment, which must be first.
        guard bytes.count > 6, bytes[2] == 0xFF, bytes[3] == 0xE0 else { return bytes }
        let head = min(bytes.count, 4 + Int(bytes[4]) << 8 + Int(bytes[5]))
        return Array(bytes[..<head]) + profile + bytes[head...]
    }

    /// From RGBA.
    static func png(_ frame: PictureFrame) throws(PlaybackError) -> [UInt8] { try encoded(frame, .png) }

    private static func encoded(_ frame: PictureFrame, _ kind: EncodedPicture.Kind) throws(PlaybackError) -> [UInt8] {
        let codec = try PictureCodecPolicy.encoder(of: kind)
        let encoder = try CodecHandle(codec)
        let context = encoder.raw
        context.pointee.thread_count = 1
        context.pointee.width = frame.raw.pointee.width
        context.pointee.height = frame.raw.pointee.height
        context.pointee.pix_fmt = AVPixelFormat(frame.raw.pointee.format)
        context.pointee.time_base = AVRational(num: 1, den: 25)
        context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        // No name of the encoder: the same pixels give the same bytes.
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        switch kind {
        case .jpeg:
            context.pointee.color_range = AVCOL_RANGE_JPEG
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = quantiser * FF_QP2LAMBDA
            // Codes for a single JPEG would save a twentieth, but need memory for all coefficients.
            av_opt_set(context.pointee.priv_data, "huffman", "default", 0)
        case .png: context.pointee.compression_level = compression
        }
        let packet = try PacketHandle()
        frame.raw.pointee.pts = 0
        frame.raw.pointee.quality = context.pointee.global_quality
        var code = avcodec_open2(context, codec, nil)
        if code >= 0 { code = avcodec_send_frame(context, frame.raw) }
        if code >= 0 { code = avcodec_send_frame(context, nil) }
        if code >= 0 { code = avcodec_receive_packet(context, packet.raw) }
        guard code >= 0, let data = packet.raw.pointee.data else { throw .outOfMemory }
        return Array(UnsafeBufferPointer(start: data, count: Int(packet.raw.pointee.size)))
    }
}
