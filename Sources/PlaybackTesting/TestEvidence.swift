import Synchronization

/// The folder for what the current test leaves behind: logs, events and recordings, which explain its failure.
///
/// The folder is one of the whole process, because the end-to-end tests of a process run one after the other. Other tests have none.
package enum TestEvidence {
    private struct State {
        var folder: String?
        /// The numbers of the files that have been named, by their names without number and extension.
        var counts: [String: Int] = [:]
    }
    private static let state = Mutex(State())

    /// The path of the folder; nil if the evidence is not kept.
    package static var folder: String? { state.withLock { $0.folder } }

    /// Sets the folder, which exists, or nil after the end of a test. The numbers of files begin again.
    package static func use(_ folder: String?) { state.withLock { $0 = State(folder: folder) } }

    /// Returns the path of a new file in the folder, such as `daemon-1.log`; nil if the evidence is not kept.
    package static func newFile(_ name: String, extension: String) -> String? {
        state.withLock { state in
            guard let folder = state.folder else { return nil }
            let number = state.counts[name, default: 0] + 1
            state.counts[name] = number
            return "\(folder)/\(name)-\(number).\(`extension`)"
        }
    }
}
