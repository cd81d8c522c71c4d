import Glibc

enum DescriptorLimit {
    /// For other parts of the process: media files, PulseAudio, libraries, logs.
    private static let reserve = 256

    /// To the hard limit. Returns how many connections that permits, at least 16.
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
