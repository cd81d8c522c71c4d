import Platform

/// The file-name extensions of the files that a listing of a folder shows. The list of extensions only hides files such as covers and texts; a client
/// may load any regular file.
enum MediaExtension {
    private static let known: Set<String> = [
        // Extensions of audio files.
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "caf", "dff", "dsf", "dts", "eac3", "flac", "m4a", "m4b", "m4r", "mka",
        "mp1", "mp2",
        "mp3", "mpc", "oga", "ogg", "opus", "ra", "snd", "spx", "tak", "tta", "w64", "wav", "wave", "weba", "wma", "wv",
        // Extensions of files with video, whose audio is played.
        "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "ts", "webm", "wmv",
    ]

    private static let playlists: Set<String> = ["asx", "m3u", "m3u8", "pls", "wax", "wvx", "xspf"]

    /// The extensions by their bytes.
    private static let kinds: [[UInt8]: MediaLibrary.Kind] = Dictionary(
        uniqueKeysWithValues: known.map { (Array($0.utf8), .audio) } + playlists.map { (Array($0.utf8), .playlist) })

    /// Returns the kind of the file with this name; nil if a listing does not show it.
    static func kind(_ name: some BidirectionalCollection<UInt8>) -> MediaLibrary.Kind? {
        // An extension has at most five bytes.
        guard let dot = name.suffix(6).lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        return kinds[name[name.index(after: dot)...].map(\.asciiLowercased)]
    }
}
