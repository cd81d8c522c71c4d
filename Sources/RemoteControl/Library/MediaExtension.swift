import Platform

/// The file-name extensions of the files that a listing of a folder shows. Other files, such as covers, are only hidden. If a medium has another
/// extension, a client that knows its path may still play it.
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

    /// The kinds of files by their extension. The key is a number that consists of the bytes of the extension; the first byte is the most significant
    /// one.
    private static let kinds: [UInt64: MediaLibrary.Kind] = Dictionary(
        uniqueKeysWithValues: known.map { (number($0.utf8), .audio) } + playlists.map { (number($0.utf8), .playlist) })

    private static func number(_ text: String.UTF8View) -> UInt64 { text.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Returns the kind of the file with this name; nil if a listing does not show it.
    static func kind(_ name: [UInt8]) -> MediaLibrary.Kind? { name.withUnsafeBufferPointer { kind($0) } }

    /// Returns the kind of the file with this name. No memory is allocated, because the names of a folder may be many.
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
