/// Makes small pictures of large ones. For implementers: the bytes are hostile, and memory and time of a call must be bounded.
public protocol PictureScaler: Sendable {
    /// A picture of the same proportions whose longer side has at most `size` pixels, with the orientation applied; `picture` itself if it is small.
    ///
    /// Any thread, one picture at a time because of the memory; blocks for up to two seconds. Throws `unsupportedFormat` (also for too large
    /// pictures), `corruptMedia` or `outOfMemory`.
    func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork
}
