import CFFmpeg
public import PlaybackEngine

/// JPEG and PNG, by FFmpeg's own decoders. At most 16 MiB need at most 52 MiB, with their own bytes (`EncodedPicture.memoryLimit`).
public struct FFmpegPictureScaler: PictureScaler {
    public init() {}

    public func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork {
        let result = picture.data.withUnsafeBufferPointer { bytes in
            Result { () throws(PlaybackError) in try scaled(PictureBytes(bytes: bytes), toFit: max(1, size)) }
        }
        return try result.get() ?? picture
    }

    /// Nil if neither side is longer than `size` pixels.
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
