/// The file-name extensions that a listing shows. Any regular file may be loaded; the list only hides covers and text files.
enum MediaExtension {
    private static let known: Set<String> = [
        // Audio.
        "aac", "ac3", "aif", "aifc", "aiff", "alac", "amr", "ape", "au", "caf", "dff", "dsf", "dts", "eac3", "flac", "m4a", "m4b", "m4r", "mka",
        "mp1", "mp2",
        "mp3", "mpc", "oga", "ogg", "opus", "ra", "snd", "spx", "tak", "tta", "w64", "wav", "wave", "weba", "wma", "wv",
        // Containers with video, whose audio is played.
        "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogv", "ts", "webm", "wmv",
    ]

    static func isKnown(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return known.contains(name[name.index(after: dot)...].lowercased())
    }
}
