package import Platform

extension PlaybackError {
    /// Returns the error (`busy`) for a thread that the system refused to create.
    package static func noThread(_ error: SystemError) -> PlaybackError {
        PlaybackError(.busy, "The system could not create another thread.", underlying: Underlying(error))
    }
}

extension PlaybackError.Underlying {
    /// Makes an underlying error from a failed system call: its code and its sentence, in the domain "POSIX".
    init(_ error: SystemError) { self.init(domain: "POSIX", code: Int(error.code), message: error.message) }
}
