/// The file-name extensions of the files that a listing of a folder shows. The extensions only hide files such as covers and texts; a client may load
/// any regular file.
enum MediaExtension {
    private static let known: Set<String> = [
        // Extensions of audio files.
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "caf", "dff", "dsf", "dts", "eac3", "flac", "m4a", "m4b", "m4r", "mka",
        "mp1", "mp2",
        "mp3", "mpc", "oga", "ogg", "opus", "ra", "snd", "spx", "tak", "tta", "w64", "wav", "wave", "weba", "wma", "wv",
        // Extensions of files with video, whose audio is played.
        "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "ts", "webm", "wmv",
    ]

    static func isKnown(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return known.contains(name[name.index(after: dot)...].lowercased())
    }
}
