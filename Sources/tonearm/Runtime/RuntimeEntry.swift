import Glibc
import MicroHTTP
import Platform

/// The runtime file of this daemon (the file by which `tonearm remote` finds the daemon), from the daemon's start to its stop. Playback does not need
/// the runtime file, so a failure to write it is only logged.
@MainActor final class RuntimeEntry {
    private let folder: RuntimeFolder?
    private var file: RuntimeFile?

    /// - Parameter environment: The environment variables, which determine the folder of the runtime file.
    init(environment: [String: String]) { folder = RuntimeFolder.ofDaemon(environment: environment) }

    /// Writes the runtime file, by which `tonearm remote` finds the daemon at `address`. `write` blocks.
    func write(_ address: ListenAddress, tokenFile: String?, log: Log) {
        guard let folder else { return }
        let record = RuntimeRecord(
            process: getpid(), address: address.forThisMachine, tokenFile: tokenFile, started: SystemWallClock().secondsSince1970)
        do throws(RuntimeFile.Unusable) { file = try folder.write(record) } catch {
            log(.info, "tonearm remote needs --address to find this daemon", ["reason": error.description])
        }
    }

    /// Removes the runtime file. A second call of `remove` has no effect.
    func remove() {
        file?.remove()
        file = nil
    }
}
