import Glibc
import Platform

/// The folder with one runtime file for each running daemon of a user. Only the user of the daemons can read the folder.
///
/// A daemon holds a lock on its runtime file as long as it runs (flock(2)). The kernel releases the lock at the end of the process, also after
/// SIGKILL. So a runtime file without a lock is stale, even if another process now has the process number in the file.
struct RuntimeFolder: Sendable, Hashable {
    let path: String

    /// The maximum number of runtime files that are read.
    private static let capacity = 64
    private static let suffix = ".json"

    /// Returns the folder into which a daemon writes its runtime file: systemd's `$RUNTIME_DIRECTORY`, otherwise `$XDG_RUNTIME_DIR/tonearm`,
    /// otherwise the folder `run` in the user's folder for state (XDG Base Directory Specification). Returns nil if the environment names no folder
    /// for runtime files.
    static func ofDaemon(environment: [String: String]) -> RuntimeFolder? {
        if let systemd = StateFolder.ofSystemd("RUNTIME_DIRECTORY", environment) { return RuntimeFolder(path: systemd) }
        return ofUser(environment).first
    }

    /// Returns the folders in which `tonearm remote` searches for runtime files, in this order: the user's own folders, then `/run/tonearm`, the
    /// folder of a system service that runs as this user.
    /// - Parameter user: The number of the user in the system.
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

    /// Returns the records of the daemons that run now, the daemon that started last first. Files that other users own, or can read or write, are
    /// ignored. `records` blocks.
    func records() -> [RuntimeRecord] {
        names().compactMap { RuntimeFile.read(path + "/" + $0) }.sorted { $0.started > $1.started }
    }

    /// Removes the runtime files of daemons that ended without removing their files. `removeStale` blocks.
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

    /// Writes the runtime file of this process, and returns it. The file exists until `RuntimeFile.remove` is called. `write` blocks.
    func write(_ record: RuntimeRecord) throws(RuntimeFile.Unusable) -> RuntimeFile {
        try makeFolder()
        removeStale()
        let name = String(UInt64.random(in: .min ... .max), radix: 16) + Self.suffix
        return try RuntimeFile(path: path + "/" + name, record: record)
    }

    /// Creates the missing folders in the path of the runtime folder. Only the owner has access to the created folders.
    private func makeFolder() throws(RuntimeFile.Unusable) {
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path) } catch {
            throw RuntimeFile.Unusable(description: "the folder \(error.path) cannot be created: \(error.error.message)")
        }
    }
}
