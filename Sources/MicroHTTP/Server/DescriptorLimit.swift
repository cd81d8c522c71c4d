import Glibc

/// The limit of open descriptors (files and sockets) of this process.
enum DescriptorLimit {
    /// The number of descriptors that clients' connections must not use, because other parts of the process need them: media files, PulseAudio,
    /// libraries, logs.
    private static let reserve = 256

    /// Raises the process's soft limit of descriptors to the hard limit.
    /// - Returns: The number of connections that the limit of descriptors then permits, at least 16.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 768 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return max(16, Int(clamping: limit.rlim_cur) - reserve)
    }
}
