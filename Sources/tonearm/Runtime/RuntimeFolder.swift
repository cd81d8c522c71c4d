import Glibc
import Platform

/// The runtime files of a user's daemons, readable for that user only. A daemon holds a lock on its file (flock(2)), which the kernel releases at the
/// end of the process, also after SIGKILL: a file without a lock is stale, even if another process now has the daemon's process number.
struct RuntimeFolder: Sendable, Hashable {
    let path: String

    /// The largest number of runtime files that are read.
    private static let capacity = 64
    private static let suffix = ".json"

    /// The folder of a daemon: systemd's `$RUNTIME_DIRECTORY`, or `$XDG_RUNTIME_DIR/tonearm`, or `run` in the user's folder for state (XDG).
    static func ofDaemon(environment: [String: String]) -> RuntimeFolder? {
        if let systemd = StateFolder.ofSystemd("RUNTIME_DIRECTORY", environment) { return RuntimeFolder(path: systemd) }
        return ofUser(environment).first
    }

    /// The folders in which a client searches: the user's own folders, then `/run/tonearm` of a system service that runs as this user.
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

    /// The records, the newest first; files that other users own, or can read or write, are ignored. Blocks.
    func records() -> [RuntimeRecord] {
        names().compactMap { RuntimeFile.read(path + "/" + $0) }.sorted { $0.started > $1.started }
    }

    /// Removes the runtime files of daemons that ended without removing them. Blocks.
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

    /// Writes a file that exists until `RuntimeFile.remove`. Blocks.
    func write(_ record: RuntimeRecord) throws(Unusable) -> RuntimeFile {
        try makeFolder()
        removeStale()
        let name = String(UInt64.random(in: .min ... .max), radix: 16) + Self.suffix
        return try RuntimeFile(path: path + "/" + name, record: record)
    }

    /// Makes the folder, to which only the owner has access.
    private func makeFolder() throws(Unusable) {
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(path) } catch {
            throw Unusable(description: "the folder \(error.path) cannot be created: \(error.error.message)")
        }
    }
}

/// The user's folder for state that survives a restart.
enum StateFolder {
    /// systemd's `$STATE_DIRECTORY`, or `$XDG_STATE_HOME/tonearm`, or `~/.local/state/tonearm` (XDG Base Directory Specification).
    static func standardPath(environment: [String: String]) -> String? {
        if let systemd = ofSystemd("STATE_DIRECTORY", environment) { return systemd }
        if let state = absolute("XDG_STATE_HOME", environment) { return state + "/tonearm" }
        return absolute("HOME", environment).map { $0 + "/.local/state/tonearm" }
    }

    /// The folder in a variable of systemd, which separates several folders by colons; the first is used.
    static func ofSystemd(_ name: String, _ environment: [String: String]) -> String? {
        absolute(name, environment).map { String($0.prefix { $0 != ":" }) }
    }

    /// The path in a variable of the environment. A relative path is ignored, as the XDG specification requires.
    static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
