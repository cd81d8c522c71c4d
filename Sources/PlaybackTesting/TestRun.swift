import Glibc
import Platform
import Synchronization

/// The folder in which the current test leaves logs, events and recordings that explain its failure. The process has one, because its end-to-end
/// tests run one after the other; other tests have none.
package enum TestEvidence {
    private struct State {
        var folder: String?
        /// The number of files with each name, where the number and the extension of a file do not belong to its name.
        var counts: [String: Int] = [:]
    }
    private static let state = Mutex(State())

    /// The folder; nil if no evidence is kept.
    package static var folder: String? { state.withLock { $0.folder } }

    /// Sets an existing folder, or nil after a test. The numbers of files begin again.
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
/// A test that repeats other tests at a larger scale is enabled by `isThorough`; a test with a number of cases has two such numbers.
public enum TestDepth {
    /// Whether `TONEARM_THOROUGH` is set, as by `script/test --thorough`.
    public static let isThorough = getenv("TONEARM_THOROUGH") != nil
}

/// Waits for another thread, in a loop that yields. Returns false after a minute, which is no requirement, so that one test fails and others run.
public func waitUntil(_ condition: () -> Bool) -> Bool {
    let clock = MonotonicClock(), end = clock.now + 60
    while !condition() {
        guard clock.now < end else { return false }
        sched_yield()
    }
    return true
}
