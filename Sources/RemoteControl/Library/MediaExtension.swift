import Platform

/// The extensions of the media that a listing shows. A client that knows the path of a medium with another extension may still play it.
enum MediaExtension {
    private static let known: Set<String> = [
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "caf", "dff", "dsf", "dts", "eac3", "flac", "m4a", "m4b", "m4r", "mka",
        "mp1", "mp2",
        "mp3", "mpc", "oga", "ogg", "opus", "ra", "snd", "spx", "tak", "tta", "w64", "wav", "wave", "weba", "wma", "wv",
        // The extensions of video, whose audio is played.
        "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "ts", "webm", "wmv",
    ]

    private static let playlists: Set<String> = ["asx", "m3u", "m3u8", "pls", "wax", "wvx", "xspf"]

    /// The kinds of media, by the bytes of the extension as a number.
    private static let kinds: [UInt64: MediaLibrary.Kind] = Dictionary(
        uniqueKeysWithValues: known.map { (number($0.utf8), .audio) } + playlists.map { (number($0.utf8), .playlist) })

    private static func number(_ text: String.UTF8View) -> UInt64 { text.reduce(0) { $0 << 8 | UInt64($1) } }

    static func kind(_ name: [UInt8]) -> MediaLibrary.Kind? { name.withUnsafeBufferPointer { kind($0) } }

    /// The kind of medium by its name. Allocates no memory, because the names of a folder may be many.
    static func kind(_ name: UnsafeBufferPointer<UInt8>) -> MediaLibrary.Kind? {
        var number: UInt64 = 0
        for length in 0..<max(0, min(6, name.count - 1)) {
            let byte = name[name.count - 1 - length]
            if byte == UInt8(ascii: ".") { return kinds[number] }
            number |= UInt64(byte.asciiLowercased) << (8 * length)
        }
        return nil
    }
}
