import Platform

/// The file-name extensions of the files that a listing of a folder shows. The list of extensions only hides files such as covers and texts; a client
/// may load any regular file.
enum MediaExtension {
    private static let kinds: [UInt64: MediaLibrary.Kind] = {
        var kinds: [UInt64: MediaLibrary.Kind] = [:]
        for ending in known { kinds[packed(ending.utf8)] = .audio }
        for ending in playlists { kinds[packed(ending.utf8)] = .playlist }
        return kinds
    }()

    private static let known = [
        // Extensions of audio files.
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "caf", "dff", "dsf", "dts", "eac3", "flac", "m4a", "m4b", "m4r", "mka",
        "mp1", "mp2",
        "mp3", "mpc", "oga", "ogg", "opus", "ra", "snd", "spx", "tak", "tta", "w64", "wav", "wave", "weba", "wma", "wv",
        // Extensions of files with video, whose audio is played.
        "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "ts", "webm", "wmv",
    ]

    private static let playlists = ["asx", "atom", "m3u", "m3u8", "pls", "rss", "wax", "wvx", "xspf"]
    /// The length of the longest extension, in bytes. It is at most 8, so that an extension is one integer.
    private static let longest = 5

    /// Returns the kind of the file with this name; nil if a listing does not show it. The name is not copied, because a folder may have a million.
    static func kind(_ name: some BidirectionalCollection<UInt8>) -> MediaLibrary.Kind? {
        let tail = name.suffix(longest + 1)
        guard let dot = tail.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        let ending = tail[dot...].dropFirst()
        return ending.isEmpty ? nil : kinds[packed(ending)]
    }

    /// Returns the bytes of an extension in lower case as one integer.
    private static func packed(_ ending: some Sequence<UInt8>) -> UInt64 { ending.reduce(0) { $0 << 8 | UInt64($1.asciiLowercased) } }
}
