/// Makes small pictures of large ones. Implemented by FFmpegMedia; RemoteControl's tests have a fake.
///
/// For implementers: the picture's bytes are hostile. The memory and the time of one call must be bounded, whatever the bytes are.
public protocol PictureScaler: Sendable {
    /// Returns a picture whose longer side has at most `size` pixels (at least 1), with the proportions of `picture` and with its orientation applied
    /// to the pixels. Returns `picture` itself if its longer side has no more pixels than that.
    ///
    /// Any thread; blocks for up to two seconds. The caller makes one call at a time, because each takes memory.
    ///
    /// Errors: `unsupportedFormat` (a format that is not decoded, or a picture that is too large to be decoded), `corruptMedia`, `outOfMemory`.
    func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork
}
