import AVFoundation
import FFmpegMedia
import Foundation
import MicroHTTP
import Platform
import Playlist
import RemoteAssets
import RemoteControl

/// Wires the parts: the outputs, the player, the API, the server. This is the place where each is chosen.
@MainActor final class Daemon {
    /// Why it cannot start, in one sentence.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// Seconds between two looks for a better output.
    private static let lookInterval = 2.0
    /// Connections in all: one whose head is not complete takes 21 KiB.
    private static let connections = 16_384
    /// Connections of a proxy on this machine.
    private static let proxyConnections = 1024
    /// Seconds that the last answers have to be written when it stops.
    private static let lastAnswers = 0.05

    private let log: Log
    private let player: PlaylistPlayer
    private let api: RemoteAPI
    private let server: MicroHTTPServer
    private let watch: OutputWatch
    private let playerLog: PlayerLog
    /// Seconds from a change of the state until free memory returns to the kernel, once for all changes in between.
    private static let trimDelay = 10.0
    /// Of the state, for `trimDelay`.
    private var trimObservation: ObservationToken?
    private var trimming: (any ScheduledAction)?
    /// Of the state, until something plays for the first time.
    private var startObservation: ObservationToken?
    private let media: [MediaArgument]
    private let token: AccessToken?
    private let tokenFile: String?
    private let isLogKept: Bool
    private let outputs: OutputChoices
    private var isStopping = false
    /// What ends it a moment after the sound.
    private var ending: (any ScheduledAction)?

    /// Takes the address: clients may connect, and wait until `start`.
    init(_ options: Options, log: Log, environment variables: [String: String]) throws(Unusable) {
        self.log = log
        isLogKept = Log.isKept(environment: variables)
        let here = FileManager.default.currentDirectoryPath
        media = options.media.map { MediaArgument($0, relativeTo: here) }
        do {
            let confinement = try Self.confinement(options, media, relativeTo: here)
            let page = try Self.page(options.web, relativeTo: here)
            let file = try Self.tokenFile(options, variables, relativeTo: here)
            token = try file?.token()
            tokenFile = file?.path
            let outputFile = try Self.file(options.output, relativeTo: here)
            outputs = OutputChoices(options.output, file: outputFile)

            var environment = PlaybackEnvironment.default
            let opener = FFmpegOpener(note: { log(.warning, "part of a medium is left out", ["reason": $0]) })
            if let outputFile {
                environment.opener = OutputSparingOpener(opener: opener, output: outputFile)
            } else {
                environment.opener = opener
            }
            environment.outputs = outputs.chosenProviders
            PlaybackEnvironment.default = environment
            player = PlaylistPlayer(environment: environment)
            player.player.loudnessNormalization = options.loudness
            player.player.crossfadeDuration = CMTime(seconds: options.crossfade, preferredTimescale: 1000)
            watch = OutputWatch(outputs, player: player, interval: Self.lookInterval, log: log)
            playerLog = PlayerLog(log, player: player)

            var configuration = RemoteAPI.Configuration(media: confinement)
            configuration.requestGuard = RequestGuard(allowedHosts: options.allowedHosts, allowedOrigins: options.allowedOrigins)
            configuration.requestGuard.admitsForwarded = options.needsToken || options.noAuth
            configuration.tokens = token.map { [$0] } ?? []
            configuration.outputs = outputs
            configuration.web = page
            configuration.pictureScaler = FFmpegPictureScaler()
            configuration.allowsPrivateURLs = options.allowsPrivateURLs
            configuration.contract = StaticFiles.File(
                contentType: "application/yaml", bytes: RemoteAssets.openAPI, compress: Gzip.compressed)
            configuration.maximumWait = options.maximumWait
            configuration.readiness = watch.readiness
            api = RemoteAPI(player: player, configuration: configuration, clock: environment.clock, scheduler: environment.scheduler)

            var serving = ServerConfiguration(address: options.listen)
            serving.maximumBodySize = RemoteAPI.maximumBodyLength
            // A proxy's connections are those of clients elsewhere, of whom nobody may have all descriptors.
            serving.maximumConnections = Self.connections
            if options.allowsForeignNames { serving.maximumConnectionsOfLoopback = Self.proxyConnections }
            serving.log = { log(.debug, "a connection went wrong", ["reason": $0]) }
            server = try MicroHTTPServer(configuration: serving, handler: api)
        } catch {
            throw Unusable(description: "\(error)")
        }
    }

    /// Begins to serve, and to play what the command line names.
    func start() throws(Unusable) {
        observeStart()
        observeChanges()
        watch.start()
        do { try server.start() } catch { throw Unusable(description: "\(error)") }
        Announcement(address: server.boundAddress, interfaces: InterfaceAddress.all(), token: token, tokenFile: tokenFile, isLogKept: isLogKept)
            .write(to: log)
        if !media.isEmpty { load(media) }
    }

    /// Ends everything in order: the event streams, the sound, which answers whatever waits for it, and a moment later, when those answers are written, the
    /// connections. Blocks as long as the sound needs to end, and calls `done` on the main actor. Idempotent: `done` is called once.
    func stop(_ done: @escaping @MainActor @Sendable () -> Void) {
        guard !isStopping else { return }
        isStopping = true
        watch.stop()
        playerLog.stop()
        startObservation?.cancel()
        trimObservation?.cancel()
        trimming?.cancel()
        api.close()
        player.shutDown()
        let environment = PlaybackEnvironment.default
        ending = environment.scheduler.schedule(at: environment.clock.now + Self.lastAnswers) { [self] in
            server.stop()
            done()
        }
    }

    /// Gives back what only the start needed as soon as something plays: a device and a decoder have been opened then.
    private func observeStart() {
        startObservation = player.observe { [weak self] in
            guard case .state(let state) = $0, state.timeControlStatus == .playing else { return }
            self?.startObservation?.cancel()
            StartPages.giveBack()
        }
    }

    /// Returns free memory to the kernel after the state has changed: media leave gaps between blocks that live longer. Without changes nothing is scheduled.
    private func observeChanges() {
        let environment = PlaybackEnvironment.default
        trimObservation = player.observe { [weak self] in
            guard case .state = $0, let self, trimming == nil else { return }
            trimming = environment.scheduler.schedule(at: environment.clock.now + Self.trimDelay) { [weak self] in
                self?.trimming = nil
                DispatchQueue.global(qos: .utility).async { Heap.trim() }
            }
        }
    }

    /// Loads and plays through the API itself: the command line is a client like the others, and gets the same checks and the same words.
    private func load(_ media: [MediaArgument]) {
        if media.count == 1 {
            ask("/api/v1/player/item", query: "wait=30", ["url": media[0].request, "play": true], about: media[0].request)
        } else {
            ask("/api/v1/queue", query: nil, ["items": media.map { ["url": $0.request] }, "play": true], about: "\(media.count) media")
        }
    }

    private func ask(_ path: String, query: String?, _ members: [String: Any], about media: String) {
        let body = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
        let request = HTTPRequest(
            method: "PUT", path: path, query: query,
            headers: [("Host", "localhost"), ("Content-Type", "application/json"), ("Tonearm-Client", "command line")]
                + (token.map { [("Authorization", "Bearer " + $0.text)] } ?? []),
            body: Array(body), peer: .program)
        let answered: @Sendable (HTTPResponse) -> Void = { [log] response in
            guard response.status >= 300, case .bytes(let bytes) = response.body else { return }
            let problem = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            log(.error, "what the command line names does not play", ["media": media, "reason": problem?["detail"] as? String ?? ""])
        }
        if let response = api.respond(to: request, completion: answered) { answered(response) }
    }

    // MARK: Parts

    /// The absolute path of a file output.
    private static func file(_ output: Options.Output, relativeTo here: String) throws(Unusable) -> String? {
        guard let path = output.path else { return nil }
        let absolute = MediaArgument.absolute(path, relativeTo: here)
        let folder = absolute[...(absolute.lastIndex(of: "/") ?? absolute.startIndex)]
        guard access(absolute, F_OK) == 0 ? access(absolute, W_OK) == 0 : access(String(folder), W_OK) == 0 else {
            throw Unusable(description: "the file \(absolute) cannot be written: \(String(cString: strerror(errno)))")
        }
        return absolute
    }

    /// Where the token is that clients must show; nil where they need none.
    private static func tokenFile(_ options: Options, _ variables: [String: String], relativeTo here: String) throws -> TokenFile? {
        guard options.needsToken else { return nil }
        let given = options.tokenFile.map { MediaArgument.absolute($0, relativeTo: here) }
        return TokenFile(path: try given ?? TokenFile.standardPath(environment: variables))
    }

    /// What remotes may use: the roots, and the files of the command line.
    private static func confinement(_ options: Options, _ media: [MediaArgument], relativeTo here: String) throws -> PathConfinement {
        let files = media.compactMap { if case .file(let path) = $0 { path } else { nil } }
        for file in files {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), access(file, R_OK) == 0 else {
                throw Unusable(description: "the file \(file) cannot be read: \(String(cString: strerror(errno)))")
            }
            if isDirectory.boolValue { throw Unusable(description: "\(file) is a folder: --media-root \(file) permits what is in it") }
        }
        return try PathConfinement(roots: options.mediaRoots.map { MediaArgument.absolute($0, relativeTo: here) }, files: files)
    }

    private static func file(_ path: String, _ bytes: [UInt8]) -> StaticFiles.File {
        let type = StaticFiles.contentType(ofFileNamed: path)
        // Pictures are compressed already.
        return StaticFiles.File(contentType: type, bytes: bytes, compress: type.hasPrefix("image/") && !type.hasSuffix("xml") ? nil : Gzip.compressed)
    }

    /// The embedded page, or the folder that stands in for it.
    private static func page(_ folder: String?, relativeTo here: String) throws -> StaticFiles {
        if let folder {
            let folder = MediaArgument.absolute(folder, relativeTo: here)
            do { return try StaticFiles(directory: folder) } catch { throw Unusable(description: "the folder \(folder) of --web cannot be read") }
        }
        let files = RemoteAssets.files.map { file in
            ("/" + file.path, Self.file(file.path, file.bytes))
        }
        return StaticFiles(Dictionary(uniqueKeysWithValues: files))
    }
}
