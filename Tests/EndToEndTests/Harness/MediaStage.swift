import PlaybackTesting

/// A player with a private sound server, and a server of media with faults.
final class MediaStage {
    let folder: MediaFolder
    let server: PrivatePulseServer
    let daemon: Daemon
    let media: FaultServer
    let events: EventListener

    /// - Parameters:
    ///   - options: Further options of `tonearm serve`.
    ///   - certificate: The path of a PEM file with a key and a certificate, for media over TLS; nil for plain HTTP.
    init(_ options: [String] = [], certificate: String? = nil) throws {
        folder = try MediaFolder()
        server = try PrivatePulseServer()
        daemon = try Daemon(
            serving: ["--media-root", folder.path, "--output", "pulse"] + options, on: server,
            environment: certificate.map { ["SSL_CERT_FILE": $0] } ?? [:])
        media = try FaultServer(folder: folder.path, certificate: certificate)
        events = try EventListener(port: daemon.port)
    }

    /// Encodes four seconds of noise for a station, as `station.mp3`.
    func makeStation() throws {
        try folder.wav("noise.wav", Noise(seconds: 4, seed: 5).frames)
        try folder.encode("noise.wav", to: "station.mp3")
    }
}
