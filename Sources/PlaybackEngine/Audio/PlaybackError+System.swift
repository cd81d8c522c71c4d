package import Platform

extension PlaybackError {
    /// The system refused a thread (`busy`).
    package static func noThread(_ error: SystemError) -> PlaybackError {
        PlaybackError(.busy, "The system could not create another thread.", underlying: Underlying(error))
    }
}

extension PlaybackError.Underlying {
    /// The system's code and sentence, in the domain "POSIX".
    init(_ error: SystemError) { self.init(domain: "POSIX", code: Int(error.code), message: error.message) }
}
