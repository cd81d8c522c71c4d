import AVFoundation
import PlaybackEngine
import Playlist

extension Options {
    /// The audio output that the command line names.
    struct Output: Sendable, Hashable {
        var kind: OutputKind
        /// The path of the file to which the output writes, as given on the command line; nil for outputs that do not write to a file.
        var path: String?

        /// The first output that can be opened. While no sound server responds, this is the null output.
        static let auto = Output(kind: .auto)
        static let pulse = Output(kind: .pulse)
        static let null = Output(kind: .null)
        static func file(path: String) -> Output { Output(kind: .file, path: path) }

        /// The words of the command line for audio outputs without a parameter.
        static let names = [OutputKind.auto.rawValue] + PlaybackEnvironment.outputDrivers.map(\.id)
    }
}

extension Options.Output {
    /// Creates the audio output that a word of the command line names; nil if the word names no output.
    init?(word: String) {
        if word.hasPrefix("file:"), word.count > 5 {
            self = .file(path: String(word.dropFirst(5)))
        } else if Self.names.contains(word) {
            self.init(kind: OutputKind(rawValue: word))
        } else {
            return nil
        }
    }
}
