import AVFoundation
import PlaybackEngine
import Player

extension Options {
    struct Output: Sendable, Hashable {
        var kind: OutputKind
        /// As given; nil if the output writes to no file.
        var path: String?

        /// The first that opens: without a sound server the null output.
        static let auto = Output(kind: .auto)
        static let pulse = Output(kind: .pulse)
        static let null = Output(kind: .null)
        static func file(path: String) -> Output { Output(kind: .file, path: path) }

        /// Those without a parameter.
        static let names = [OutputKind.auto.rawValue] + PlaybackEnvironment.outputDrivers.map(\.id)
    }
}

extension Options.Output {
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
