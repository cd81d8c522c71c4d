/// A scaler makes small pictures of large ones. FFmpegMedia implements this protocol; RemoteControl's tests have a fake.
///
/// For implementers: the picture's bytes are hostile. The memory and the time of one call of the scaler must be bounded, whatever the bytes are.
public protocol PictureScaler: Sendable {
    /// Returns a picture whose longer side has at most `size` pixels (at least 1), with the proportions of `picture` and with the orientation of
    /// `picture` applied to the pixels. Returns `picture` itself if its longer side has at most `size` pixels.
    ///
    /// Any thread may scale a picture; the call blocks for up to two seconds. The caller scales one picture at a time, because each call needs much
    /// memory.
    ///
    /// The errors of scaling are `unsupportedFormat` (a format that is not decoded, or a picture that is too large to be decoded), `corruptMedia`,
    /// `outOfMemory`.
    func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork
}
