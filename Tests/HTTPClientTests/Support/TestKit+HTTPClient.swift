import Foundation
import PlaybackTesting

@testable import HTTPClient

extension ScriptedRemote: RetriedSource {}

extension TLSIdentity {
    /// The trust of a client that knows this certificate only.
    var trust: TLSTrust {
        get throws {
            let file = try TestMedia.shared.file("\(UUID()).pem") { try text.write(to: $0, atomically: true, encoding: .utf8) }
            return TLSTrust(file: file.path, folder: nil)
        }
    }
}
