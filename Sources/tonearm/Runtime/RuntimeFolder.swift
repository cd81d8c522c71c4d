import Glibc
import Platform

/// The folder with one runtime file for each running daemon of a user, which only that user can read.
///
/// A daemon holds a lock on its file as long as it runs (flock(2)). The kernel releases the lock at the end of the process, also after SIGKILL. So a
/// file without a lock is stale, whatever process has the number of its daemon by now.
struct RuntimeFolder: Sendable, Hashable {
    let path: String

    /// The maximum number of files that are read.
    private static let capacity = 64
    private static let suffix = ".json"

    /// Returns the folder into which a daemon writes: systemd's `$RUNTIME_DIRECTORY`, otherwise `$XDG_RUNTIME_DIR/tonearm`, otherwise the folder `run`
    /// in the user's folder for state (XDG Base Directory Specification). Returns nil if the environment names none of them.
    static func ofDaemon(environment: [String: String]) -> RuntimeFolder? {
        if let systemd = StateFolder.ofSystemd("RUNTIME_DIRECTORY", environment) { return RuntimeFolder(path: systemd) }
        return ofUser(environment).first
    }

    /// Returns the folders in which a client searches, in their order: those of the user, and that of a system service of the same user.
    /// - Parameter user: The number of the user.
    static func ofClient(environment: [String: String], user: UInt32) -> [RuntimeFolder] {
        var all = ofUser(environment) + ["/run/user/\(user)/tonearm", "/run/tonearm"].map { RuntimeFolder(path: $0) }
        var seen: Set<RuntimeFolder> = []
        all.removeAll { !seen.insert($0).inserted }
        return all
    }

    private static func ofUser(_ environment: [String: String]) -> [RuntimeFolder] {
        [
            StateFolder.absolute("XDG_RUNTIME_DIR", environment).map { $0 + "/tonearm" },
            StateFolder.absolute("XDG_STATE_HOME", environment).map { $0 + "/tonearm/run" },
            StateFolder.absolute("HOME", environment).map { $0 + "/.local/state/tonearm/run" },
        ].compactMap { $0.map { RuntimeFolder(path: $0) } }
    }

    /// Returns the records of the daemons that run now, the newest first. Files that other users can read or write, or own, are ignored. Blocks.
    func records() -> [RuntimeRecord] {
        names().compactMap { RuntimeFile.read(path + "/" + $0) }.sorted { $0.started > $1.started }
    }

    /// Removes the files of daemons that ended without removing theirs. Blocks.
    func removeStale() {
        for name in names() { RuntimeFile.removeIfStale(path + "/" + name) }
    }

    private func names() -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < Self.capacity, let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(Self.suffix) { names.append(name) }
        }
        return names
    }

    /// Writes the runtime file of this process, and returns it; it exists until `RuntimeFile.remove`. Blocks.
    func write(_ record: RuntimeRecord) throws(RuntimeFile.Unusable) -> RuntimeFile {
        try makeFolder()
        removeStale()
        let name = String(UInt64.random(in: .min ... .max), radix: 16) + Self.suffix
        return try RuntimeFile(path: path + "/" + name, record: record)
    }

    /// Creates the missing folders of the path. Only the owner has access to them.
    private func makeFolder() throws(RuntimeFile.Unusable) {
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path) } catch {
            throw RuntimeFile.Unusable(description: "the folder \(error.path) cannot be created: \(error.error.message)")
        }
    }
}
