import AVFoundation
import Foundation
import Platform
import PlaybackEngine

/// A media file or URL of the command line.
enum MediaArgument: Sendable, Hashable {
    /// An absolute path; symbolic links are not resolved.
    case file(FilePath)
    /// A URL as given, with another scheme than `file`.
    case remote(url: String)

    /// Parses an argument: text with a scheme is a URL; other text is a path, which may be relative to `directory`.
    init(_ text: String, relativeTo directory: String) {
        if let end = text.range(of: "://") {
            let scheme = text[..<end.lowerBound].lowercased()
            if scheme == "file", let path = FilePath(fileURL: text) {
                self = .file(path)
                return
            }
            if let first = scheme.first, first.isLetter, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) {
                self = .remote(url: text)
                return
            }
        }
        self = .file(FilePath(Self.absolute(text, relativeTo: directory)))
    }

    /// The path or URL of the medium as in a request to the API.
    var request: String {
        switch self {
        case .file(let path): path.reference
        case .remote(let url): url
        }
    }

    static func absolute(_ path: String, relativeTo directory: String) -> String {
        path.hasPrefix("/") ? path : directory + (directory.hasSuffix("/") ? "" : "/") + path
    }

    /// A path in the form of `FilePath.reference`; `path` may be a `file:` URL, absolute, or relative to `directory`.
    static func reference(_ path: String, relativeTo directory: String) -> String {
        path.utf8.starts(with: "file:///".utf8) ? FilePath(reference: path).reference : absolute(path, relativeTo: directory)
    }

    /// Whether two paths lead to the same regular file.
    static func isSameFile(_ path: FilePath, _ otherPath: FilePath) -> Bool {
        var one = stat(), other = stat()
        let found = path.withCString { stat($0, &one) } == 0 && otherPath.withCString { stat($0, &other) } == 0
        return found && one.st_mode & S_IFMT == S_IFREG && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }
}

extension MediaArgument {
    func source() throws(PlaybackError) -> MediaSource {
        switch self {
        case .file(let path):
            guard !path.bytes.contains(0) else { throw PlaybackError(.fileNotFound, "The file does not exist.") }
            return MediaSource(.file(path))
        case .remote(let url):
            let scheme = url.prefix { $0 != ":" }.lowercased()
            guard scheme == "http" || scheme == "https" else {
                throw PlaybackError(.unsupportedScheme, "URLs that begin with “\(scheme):” cannot be opened.")
            }
            return MediaSource(.remote(url: url))
        }
    }
}

extension PlaybackError {
    /// The error as a line for standard error. Control characters in text from the medium are escaped.
    func line(about input: String) -> String {
        let reason = underlying?.message ?? ""
        let detail = reason.isEmpty || code == .fileNotFound ? message : "\(message) (\(reason))"
        return "tonearm: \(Log.escaped(input)): \(Log.escaped(detail))\n"
    }
}
