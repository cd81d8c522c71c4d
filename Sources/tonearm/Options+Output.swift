import AVFoundation
import PlaybackEngine
import Playlist

extension Options {
    /// The output that the command line names.
    struct Output: Sendable, Hashable {
        var kind: OutputKind
        /// The path of a file, as given.
        var path: String?

        /// The first output that can be opened: the null output until a sound server responds.
        static let auto = Output(kind: .auto)
        static let pulse = Output(kind: .pulse)
        static let null = Output(kind: .null)
        static func file(path: String) -> Output { Output(kind: .file, path: path) }

        /// The names of the outputs that have no parameter.
        static let names = [OutputKind.auto.rawValue] + PlaybackEnvironment.outputDrivers.map(\.id)
    }
}

extension Options.Output {
    /// The output of a word of the command line; nil if there is none.
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
