import Glibc
import HTTPServer
import Platform

/// This daemon's runtime file, by which `tonearm remote` finds it. Playback does not need it, so a failure is only logged.
@MainActor final class RuntimeEntry {
    private let folder: RuntimeFolder?
    private var file: RuntimeFile?

    init(environment: [String: String]) { folder = RuntimeFolder.ofDaemon(environment: environment) }

    /// Blocks.
    func write(_ address: ListenAddress, tokenFile: String?, log: Log) {
        guard let folder else { return }
        let record = RuntimeRecord(
            process: getpid(), address: address.forThisMachine, tokenFile: tokenFile, started: SystemWallClock().secondsSince1970)
        do throws(RuntimeFile.Unusable) { file = try folder.write(record) } catch {
            log(.info, "tonearm remote needs --address to find this daemon", ["reason": error.description])
        }
    }

    /// Idempotent.
    func remove() {
        file?.remove()
        file = nil
    }
}
