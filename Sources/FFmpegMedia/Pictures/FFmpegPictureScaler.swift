import CFFmpeg
public import PlaybackEngine

/// Scales JPEG and PNG pictures, with FFmpeg's own codecs. Scaling a picture of at most 16 MiB needs at most 52 MiB of memory, including the
/// picture's own bytes (`EncodedPicture.memoryLimit`).
public struct FFmpegPictureScaler: PictureScaler {
    public init() {}

    public func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork {
        let result = picture.data.withUnsafeBufferPointer { bytes in
            Result { () throws(PlaybackError) in try scaled(PictureBytes(bytes: bytes), toFit: max(1, size)) }
        }
        return try result.get() ?? picture
    }

    /// Returns the scaled picture; nil if neither side is longer than `size` pixels.
    private func scaled(_ bytes: PictureBytes, toFit size: Int) throws(PlaybackError) -> Artwork? {
        guard let header = PictureHeader(bytes.bytes) else { throw EncodedPicture.unsupported("The picture has an unknown format.") }
        guard !header.isTooLarge else { throw EncodedPicture.unsupported("The picture has too many pixels.") }
        guard max(header.width, header.height) > size else { return nil }
        let source: EncodedPicture
        switch header.mimeType {
        case "image/jpeg": source = try EncodedPicture(jpeg: bytes)
        case "image/png": source = try EncodedPicture(png: bytes)
        default: throw EncodedPicture.unsupported("Only JPEG and PNG pictures can be scaled.")
        }
        guard source.width == header.width, source.height == header.height else { throw EncodedPicture.damaged }
        guard let halvings = source.halvings(toFit: size) else {
            throw EncodedPicture.unsupported("Decoding the picture needs more memory than the limit.")
        }
        FFmpegLibrary.prepare()
        return try scaled(source, bytes, halvings: halvings, toFit: size)
    }

    private func scaled(_ source: EncodedPicture, _ bytes: PictureBytes, halvings: Int, toFit size: Int) throws(PlaybackError) -> Artwork {
        let sides = source.sides(toFit: size, decodedAs: halvings)
        let format = source.mayBeTransparent ? AV_PIX_FMT_RGBA : AV_PIX_FMT_YUVJ420P
        let small = try PictureFrame.decoded(source, bytes, halvings: halvings).scaled(to: sides, format)
        let turned = source.orientation == .stored ? small : try small.turned(source.orientation)
        if source.mayBeTransparent, turned.isTransparent { return Artwork(mimeType: "image/png", data: try PictureEncoder.png(turned)) }
        let opaque = source.mayBeTransparent ? try turned.scaled(to: turned.sides, AV_PIX_FMT_YUVJ420P) : turned
        let profile = source.profile.flatMap { bytes.bytes[$0] }
        return Artwork(mimeType: "image/jpeg", data: try PictureEncoder.jpeg(opaque, profile: profile))
    }
}

enum PictureEncoder {
    /// The quantiser of JPEG, 2 (the best) to 31; at 3, blocks are not visible.
    private static let quantiser: Int32 = 3
    /// The compression level of zlib, 0 to 9; level 3 takes a third of the time of zlib's default level.
    private static let compression: Int32 = 3

    /// Encodes a picture in YUV 4:2:0 as JPEG. `profile` has the bytes of the segments with its colour profile.
    static func jpeg(_ frame: PictureFrame, profile: [UInt8]) throws(PlaybackError) -> [UInt8] {
        let bytes = try encoded(frame, .jpeg)
        // The profile is inserted after the start marker and the JFIF segment, which must be first.
        guard bytes.count > 6, bytes[2] == 0xFF, bytes[3] == 0xE0 else { return bytes }
        let head = min(bytes.count, 4 + Int(bytes[4]) << 8 + Int(bytes[5]))
        return Array(bytes[..<head]) + profile + bytes[head...]
    }

    /// Encodes a picture in RGBA as PNG.
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
        // The name of the encoder is omitted, so that the same pixels give the same bytes.
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        switch kind {
        case .jpeg:
            context.pointee.color_range = AVCOL_RANGE_JPEG
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = quantiser * FF_QP2LAMBDA
            // Huffman codes made for each JPEG would save a twentieth of its size, but need memory for all coefficients.
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
