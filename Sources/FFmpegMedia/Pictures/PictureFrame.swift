import CFFmpeg
import PlaybackEngine

/// A decoded picture, in one `AVFrame`.
final class PictureFrame {
    private let handle: FrameHandle
    var raw: UnsafeMutablePointer<AVFrame> { handle.raw }
    var sides: (width: Int, height: Int) { (Int(raw.pointee.width), Int(raw.pointee.height)) }

    private init() throws(PlaybackError) { handle = try FrameHandle() }

    private convenience init(_ sides: (width: Int, height: Int), _ format: AVPixelFormat) throws(PlaybackError) {
        try self.init()
        raw.pointee.width = Int32(sides.width)
        raw.pointee.height = Int32(sides.height)
        raw.pointee.format = format.rawValue
        guard av_frame_get_buffer(raw, 0) >= 0 else { throw .outOfMemory }
    }

    // MARK: Decoding

    /// Decodes a picture; a damaged one as far as possible.
    static func decoded(_ source: EncodedPicture, _ bytes: PictureBytes, halvings: Int) throws(PlaybackError) -> PictureFrame {
        let codec = try PictureCodecPolicy.decoder(of: source.kind)
        let decoder = try CodecHandle(codec)
        let context = decoder.raw
        context.pointee.thread_count = 1
        // FFmpeg rounds the width up to a multiple of 64.
        context.pointee.max_pixels = Int64((source.width + 63) / 64 * 64) * Int64(source.height)
        context.pointee.lowres = Int32(halvings)
        guard avcodec_open2(context, codec, nil) >= 0 else { throw .outOfMemory }
        let packet = try source.packet(bytes)
        let frame = try PictureFrame()
        let sent = avcodec_send_packet(context, packet.raw)
        let code = sent < 0 ? sent : avcodec_receive_frame(context, frame.raw)
        if code == -ENOMEM { throw .outOfMemory }
        guard code >= 0, frame.sides == (EncodedPicture.halved(source.width, halvings), EncodedPicture.halved(source.height, halvings)) else {
            throw EncodedPicture.damaged
        }
        return frame
    }

    // MARK: Scaling

    /// Scales the picture: each pixel is the average of its area.
    func scaled(to new: (width: Int, height: Int), _ format: AVPixelFormat) throws(PlaybackError) -> PictureFrame {
        let result = try PictureFrame(new, format)
        guard let context = sws_alloc_context() else { throw .outOfMemory }
        defer { sws_freeContext(context) }
        let object = UnsafeMutableRawPointer(context)
        // The samples have the full range of 0 to 255, unlike those of video.
        let options: [(String, Int64)] = [
            ("srcw", Int64(sides.width)), ("srch", Int64(sides.height)), ("src_format", Int64(raw.pointee.format)), ("src_range", 1),
            ("dstw", Int64(new.width)), ("dsth", Int64(new.height)), ("dst_format", Int64(format.rawValue)), ("dst_range", 1),
            ("sws_flags", Int64(SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_FULL_CHR_H_INT)),
        ]
        for (name, value) in options { av_opt_set_int(object, name, value, 0) }
        guard sws_init_context(context, nil, nil) >= 0, sws_scale_frame(context, result.raw, raw) >= 0 else {
            throw EncodedPicture.unsupported("The picture has an unsupported pixel format.")
        }
        return result
    }

    // MARK: Turning

    /// Returns the picture turned by its Exif orientation. The picture must be in YUV 4:2:0 or RGBA.
    func turned(_ orientation: PictureOrientation) throws(PlaybackError) -> PictureFrame {
        let (width, height) = sides
        let result = try PictureFrame(orientation.swapsSides ? (height, width) : (width, height), AVPixelFormat(raw.pointee.format))
        let isPacked = raw.pointee.format == AV_PIX_FMT_RGBA.rawValue
        typealias Plane = (start: UnsafeMutablePointer<UInt8>?, stride: Int32)
        func turn(_ from: Plane, _ to: Plane, halvings: Int) {
            guard let source = from.start, let target = to.start else { return }
            orientation.turn(
                source, stride: Int(from.stride), width: EncodedPicture.halved(width, halvings), height: EncodedPicture.halved(height, halvings),
                pixelSize: isPacked ? 4 : 1, into: target, stride: Int(to.stride))
        }
        let (from, to) = (raw.pointee, result.raw.pointee)
        turn((from.data.0, from.linesize.0), (to.data.0, to.linesize.0), halvings: 0)
        if !isPacked {
            turn((from.data.1, from.linesize.1), (to.data.1, to.linesize.1), halvings: 1)
            turn((from.data.2, from.linesize.2), (to.data.2, to.linesize.2), halvings: 1)
        }
        return result
    }

    // MARK: Transparency

    /// Whether a pixel is not opaque; false unless the picture is in RGBA.
    var isTransparent: Bool {
        guard raw.pointee.format == AV_PIX_FMT_RGBA.rawValue, let pixels = raw.pointee.data.0 else { return false }
        for y in 0..<sides.height {
            let row = pixels + y * Int(raw.pointee.linesize.0)
            for x in 0..<sides.width where row[4 * x + 3] != 255 { return true }
        }
        return false
    }
}

extension EncodedPicture {
    /// The packet for the decoder, with the zero bytes at the end that FFmpeg requires.
    fileprivate func packet(_ reader: PictureBytes) throws(PlaybackError) -> PacketHandle {
        let packet = try PacketHandle()
        guard let size = Int32(exactly: packetBytes), av_new_packet(packet.raw, size) >= 0, var target = packet.raw.pointee.data else {
            throw .outOfMemory
        }
        for part in parts {
            switch part {
            case .original(let range):
                guard let source = reader.bytes.baseAddress else { break }
                target.update(from: source + range.lowerBound, count: range.count)
            case .bytes(let bytes): target.update(from: bytes, count: bytes.count)
            }
            target += part.count
        }
        return packet
    }
}

/// Selects FFmpeg's own codecs of JPEG and PNG; no other code of Tonearm decodes pictures (`DecoderPolicy`).
enum PictureCodecPolicy {
    static func decoder(of kind: EncodedPicture.Kind) throws(PlaybackError) -> UnsafePointer<AVCodec> {
        try own(avcodec_find_decoder_by_name(name(kind)))
    }
    static func encoder(of kind: EncodedPicture.Kind) throws(PlaybackError) -> UnsafePointer<AVCodec> {
        try own(avcodec_find_encoder_by_name(name(kind)))
    }

    private static func name(_ kind: EncodedPicture.Kind) -> String {
        switch kind {
        case .jpeg: "mjpeg"
        case .png: "png"
        }
    }

    /// Returns `codec`; throws unless it is FFmpeg's own. FFmpeg may have been built without it, or with another library's codec.
    private static func own(_ codec: UnsafePointer<AVCodec>?) throws(PlaybackError) -> UnsafePointer<AVCodec> {
        guard let codec, codec.pointee.wrapper_name == nil else {
            throw EncodedPicture.unsupported("FFmpeg was built without a decoder for this picture format.")
        }
        return codec
    }
}
