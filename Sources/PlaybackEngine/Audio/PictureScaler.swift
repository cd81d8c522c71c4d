/// Makes small pictures of large ones. Implemented by FFmpegMedia; RemoteControl's tests have a fake.
///
/// For implementers: the picture's bytes are hostile. The memory and the time of one call must be bounded, whatever the bytes are.
public protocol PictureScaler: Sendable {
    /// A picture whose longer side has at most `size` pixels, at least 1, with the proportions of `picture` and as it is shown: turned as its orientation
    /// says. `picture` itself if its longer side has no more pixels than that.
    ///
    /// Any thread; blocks for up to two seconds. The caller makes one call at a time, because each takes memory.
    ///
    /// Errors: `unsupportedFormat` (a kind that is not decoded, or too large to be decoded), `corruptMedia`, `outOfMemory`.
    func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork
}
