import Synchronization

/// Where the current test leaves logs, events and recordings that explain its failure. One for the process, because its end-to-end tests run one
/// after the other; other tests have none.
package enum TestEvidence {
    private struct State {
        var folder: String?
        /// Of named files, without number and extension.
        var counts: [String: Int] = [:]
    }
    private static let state = Mutex(State())

    /// Nil if no evidence is kept.
    package static var folder: String? { state.withLock { $0.folder } }

    /// An existing one, or nil after a test. The numbers begin again.
    package static func use(_ folder: String?) { state.withLock { $0 = State(folder: folder) } }

    /// Such as `daemon-1.log`; nil if no evidence is kept.
    package static func newFile(_ name: String, extension: String) -> String? {
        state.withLock { state in
            guard let folder = state.folder else { return nil }
            let number = state.counts[name, default: 0] + 1
            state.counts[name] = number
            return "\(folder)/\(name)-\(number).\(`extension`)"
        }
    }
}
