import Glibc
import Platform
import Synchronization

/// Where the current test leaves logs, events and recordings that explain its failure. One for the process, because its end-to-end tests run one
/// after the other; other tests have none.
package enum TestEvidence {
    private struct State {
        var folder: String?
        /// The number of files of each name, without number and extension.
        var counts: [String: Int] = [:]
    }
    private static let state = Mutex(State())

    /// Nil if no evidence is kept.
    package static var folder: String? { state.withLock { $0.folder } }

    /// Sets an existing folder, or nil after a test. The numbers begin again.
    package static func use(_ folder: String?) { state.withLock { $0 = State(folder: folder) } }

    /// The path of a new file, such as `daemon-1.log`; nil if no evidence is kept.
    package static func newFile(_ name: String, extension: String) -> String? {
        state.withLock { state in
            guard let folder = state.folder else { return nil }
            let number = state.counts[name, default: 0] + 1
            state.counts[name] = number
            return "\(folder)/\(name)-\(number).\(`extension`)"
        }
    }
}

/// A usual run proves a change: each kind of case, in small numbers. A thorough run proves a release: all cases, in the numbers of the documentation.
/// A test that differs only in degree is enabled by `isThorough`, and one that counts has two counts.
public enum TestDepth {
    /// `TONEARM_THOROUGH`, set by `script/test --thorough`.
    public static let isThorough = getenv("TONEARM_THOROUGH") != nil
}

/// Waits for another thread, in a loop that yields. False after a minute, so that one test fails and the others run; the limit judges nothing.
public func waitUntil(_ condition: () -> Bool) -> Bool {
    let clock = MonotonicClock(), end = clock.now + 60
    while !condition() {
        guard clock.now < end else { return false }
        sched_yield()
    }
    return true
}
