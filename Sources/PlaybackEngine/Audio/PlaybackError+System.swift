import Glibc
package import Platform

extension PlaybackError {
    /// Returns the error (`busy`) for a thread that the system refused to create.
    package static func noThread(_ error: SystemError) -> PlaybackError {
        PlaybackError(.busy, "The system could not create another thread.", underlying: Underlying(errno: error.code))
    }
}

extension PlaybackError.Underlying {
    /// Makes the underlying error of a failed system call from its `errno`: the error number and the system's sentence, in the domain "POSIX".
    package init(errno code: Int32) { self.init(domain: "POSIX", code: Int(code), message: String(cString: strerror(code))) }
}
