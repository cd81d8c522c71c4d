import AVFoundation
import FFmpegMedia
import Foundation
import HTTPServer
import Platform
import PlaybackEngine
import Player
import RemoteControl

/// The reason why the daemon cannot run, or why a file cannot be used, in one sentence.
struct Unusable: Error, CustomStringConvertible {
    let description: String
}

/// Creates the components of the program and connects them. Only `Daemon` selects their implementations.
@MainActor final class Daemon {
    /// The limit of connections, of which one with an incomplete head uses 21 KiB.
    private static let maximumConnections = 16_384
    private static let maximumProxyConnections = 1024

    private let log: Log
    private let player: PlaylistPlayer
    private let api: RemoteAPI
    private let server: MicroHTTPServer
    private let outputReport: OutputReport
    private let sleepWatch: SleepWatch
    private let playerLog: PlayerLog
    private let trimmer = MemoryTrimmer()
    private let media: [MediaArgument]
    /// The token and the path of its file; nil if clients need no token.
    private let credentials: (token: AccessToken?, file: String?)
    private let isLogKept: Bool
    private let runtimeEntry: RuntimeEntry
    private let kept: StatePersistence
    /// The wait for the last answers; nil before the daemon stops.
    private var lastAnswers: LastAnswers?

    /// Binds the address: clients may connect, and wait for answers until `start`.
    init(_ options: Options, log: Log, environment variables: [String: String]) throws(Unusable) {
        self.log = log
        isLogKept = Log.isKept(environment: variables)
        runtimeEntry = RuntimeEntry(environment: variables)
        let directory = FileManager.default.currentDirectoryPath
        media = options.media.map { MediaArgument($0, relativeTo: directory) }
        do {
            let named = try Self.confinement(options, media, relativeTo: directory)
            let page = try Self.page(options.web, relativeTo: directory)
            let file = try Self.tokenFile(options, variables, relativeTo: directory)
            let token = try file?.token()
            credentials = (token, file?.path)
            let outputFile = try Self.file(options.output, relativeTo: directory)
            let outputs = OutputChoices(options.output, file: outputFile, dither: options.dither, volumeLimit: options.deviceVolumeLimit)

            var environment = PlaybackEnvironment.default
            let stateDirectory = options.stateDirectory.map { MediaArgument.absolute($0, relativeTo: directory) }
            kept = StatePersistence(
                options, directory: stateDirectory ?? StateFolder.standardPath(environment: variables), log: log, clock: environment.clock,
                scheduler: environment.scheduler)
            let confinement = kept.permitting(named)
            for root in confinement.missingRoots { log(.warning, "a media root does not exist yet", ["folder": root.text]) }
            if !options.given.contains("output"), let choice = kept.saved?.settings.output { outputs.restore(choice) }
            let pictures = FolderPicture(media: confinement)
            let confined = ConfinedOpener(
                opener: FFmpegOpener(
                    note: { log(.warning, "part of a medium is skipped", ["reason": $0]) }, folderPicture: { pictures.bytes(besideFileAt: $0) },
                    retryPolicy: RetryPolicy(patience: options.retryTime), resampler: options.resampler),
                confinement: confinement, output: outputFile)
            environment.opener = ListOpener(opener: confined, confinement: confinement)
            environment.outputs = outputs.drivers
            environment.output = outputs.chosenWish
            environment.outputPatience = options.outputPatience
            environment.watchesIdleOutput = true
            PlaybackEnvironment.default = environment
            player = PlaylistPlayer(
                environment: environment, restoring: kept.saved, initialVolume: kept.initialVolume,
                presence: FilePresence(roots: confinement.realRoots), saver: kept.saver, persistence: kept.persistence)
            if kept.saved == nil || options.given.contains("loudness") { player.player.loudnessNormalization = options.loudness }
            if kept.saved == nil || options.given.contains("crossfade") {
                player.player.crossfadeDuration = CMTime(seconds: options.crossfade, preferredTimescale: 1000)
            }
            if kept.saved == nil || options.given.contains("output-rate") { player.player.outputRates.standard = options.outputRate }
            player.player.headroom = options.headroom
            kept.connect(player, outputs: outputs)
            outputReport = OutputReport(outputs, player: player, log: log)
            let queue = player.player, scheduler = environment.scheduler
            sleepWatch = SleepWatch(environment: variables) { [weak queue] isAsleep, done in
                scheduler.async { [weak queue] in
                    queue?.setMachineAsleep(isAsleep)
                    done()
                }
            }
            playerLog = PlayerLog(log, player: player)

            var configuration = RemoteAPI.Configuration(media: confinement)
            configuration.order = NaturalOrder(language: options.sortLanguage ?? Self.language(of: variables))
            configuration.requestGuard = RequestGuard(allowedHosts: options.allowedHosts, allowedOrigins: options.allowedOrigins)
            configuration.requestGuard.admitsForwarded = options.needsToken || options.noAuth
            configuration.requestGuard.trustedProxies = TrustedProxies(options.trustedProxies)
            configuration.pathPrefix = options.pathPrefix
            configuration.tokens = credentials.token.map { [$0] } ?? []
            configuration.outputs = outputs
            configuration.web = page
            configuration.pictureScaler = FFmpegPictureScaler()
            configuration.compress = Gzip.quicklyCompressed
            configuration.allowsPrivateURLs = options.allowsPrivateURLs
            configuration.description = APIDescription(yaml: RemoteAssets.openAPI, json: RemoteAssets.openAPIJSON)
            configuration.information = ServerInformation(
                name: options.name ?? Self.machineName(), id: kept.playerID, version: Options.version)
            configuration.maximumWait = options.maximumWait
            configuration.readiness = outputReport.readiness
            api = RemoteAPI(player: player, configuration: configuration, clock: environment.clock, scheduler: environment.scheduler)

            var serving = ServerConfiguration(address: options.listen)
            serving.maximumBodySize = RemoteAPI.maximumBodyLength
            // All connections through a proxy together must not use up the process's file descriptors.
            serving.maximumConnections = Self.maximumConnections
            if options.allowsForeignNames || !options.trustedProxies.isEmpty { serving.maximumConnectionsOfLoopback = Self.maximumProxyConnections }
            serving.maximumConnectionsOfProxy = Self.maximumProxyConnections
            serving.isProxy = configuration.requestGuard.trustedProxies.isTrusted
            serving.log = { log(.debug, "a connection failed", ["reason": $0]) }
            server = try MicroHTTPServer(configuration: serving, handler: api)
        } catch {
            throw Unusable(description: "\(error)")
        }
    }

    /// Starts the server, then plays the media of the command line.
    func start() throws(Unusable) {
        trimmer.observe(player)
        // Playback is resumed before the server starts, so that the first state that a client receives shows it.
        if let saved = kept.resumed { player.resume(saved) }
        do { try server.start() } catch { throw Unusable(description: "\(error)") }
        // The runtime file is written before the announcement, after which a user may start `tonearm remote`.
        runtimeEntry.write(server.boundAddress, tokenFile: credentials.file, log: log)
        Announcement(
            address: server.boundAddress, interfaces: InterfaceAddress.all(), token: credentials.token, tokenFile: credentials.file,
            isLogKept: isLogKept
        )
        .write(to: log)
        kept.didStart()
        load()
    }

    /// Stops first the event streams, then the audio, which completes waiting requests, and last the connections, so that the answers can be sent.
    ///
    /// Blocks until the audio has stopped; `done` is called on the main actor after the last answers (`LastAnswers`). A second call has no effect.
    func stop(_ done: @escaping @MainActor @Sendable () -> Void) {
        guard lastAnswers == nil else { return }
        let environment = PlaybackEnvironment.default
        let answers = LastAnswers(clock: environment.clock, scheduler: environment.scheduler) { [server] in server.isAnswering }
        lastAnswers = answers
        runtimeEntry.remove()
        outputReport.stop()
        sleepWatch.stop()
        playerLog.stop()
        trimmer.stop()
        api.close()
        player.shutDown()
        answers.wait { [self] in
            // A request that was answered during the wait may have changed the player, so the state is saved last.
            kept.close()
            server.stop()
            done()
        }
    }

    /// The exit status after an orderly stop: 1 if the file of the output is not complete.
    var exitStatus: Int32 { outputReport.hasWriteFailed ? 1 : 0 }

    /// Plays the media of the command line, with the checks and messages that other clients get.
    private func load() {
        let urls = media.map(\.request)
        guard let first = urls.first else { return }
        Task { [api, log] in
            guard let reason = await api.play(urls, client: "command line") else { return }
            log(
                .error, "the media of the command line cannot be played",
                ["media": urls.count == 1 ? first : "\(urls.count) media", "reason": reason])
        }
    }

    // MARK: Parts

    /// Returns the absolute path of the file to which the output writes; nil if it writes to no file.
    private static func file(_ output: Options.Output, relativeTo directory: String) throws(Unusable) -> String? {
        guard let path = output.path else { return nil }
        let absolute = MediaArgument.absolute(path, relativeTo: directory)
        let folder = absolute[...(absolute.lastIndex(of: "/") ?? absolute.startIndex)]
        guard access(absolute, F_OK) == 0 ? access(absolute, W_OK) == 0 : access(String(folder), W_OK) == 0 else {
            throw Unusable(description: "the file \(absolute) cannot be written: \(String(cString: strerror(errno)))")
        }
        return absolute
    }

    /// Returns the file of the token; nil if clients need no token.
    private static func tokenFile(_ options: Options, _ variables: [String: String], relativeTo directory: String) throws -> TokenFile? {
        guard options.needsToken else { return nil }
        let given = options.tokenFile.map { MediaArgument.absolute($0, relativeTo: directory) }
        return TokenFile(path: try given ?? TokenFile.standardPath(environment: variables))
    }

    /// Permits the files below the media roots, and those of the command line.
    private static func confinement(_ options: Options, _ media: [MediaArgument], relativeTo directory: String) throws -> PathConfinement {
        let files = media.compactMap { if case .file(let path) = $0 { path } else { nil } }
        for file in files {
            var status = stat()
            guard file.withCString({ stat($0, &status) == 0 && access($0, R_OK) == 0 }) else {
                throw Unusable(description: "the file \(file.text) cannot be read: \(String(cString: strerror(errno)))")
            }
            if status.st_mode & S_IFMT == S_IFDIR {
                throw Unusable(description: "\(file.text) is a folder: to permit its files, use --media-root \(file.text)")
            }
        }
        return try PathConfinement(
            roots: options.mediaRoots.map { MediaArgument.reference($0, relativeTo: directory) }, files: files.map(\.reference))
    }

    /// The language in which the user sorts names, by POSIX; empty if there is none.
    private static func language(of variables: [String: String]) -> String {
        ["LC_ALL", "LC_COLLATE", "LANG"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
    }

    /// The host name without its domain, or `Tonearm`.
    private static func machineName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "Tonearm" }
        let name = String(decoding: buffer.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return name.isEmpty ? "Tonearm" : name
    }

    private static func file(_ file: PageFolder.File) -> StaticFiles.File {
        let type = StaticFiles.contentType(ofFileNamed: file.path)
        // Pictures are already compressed, except SVG.
        return StaticFiles.File(
            contentType: type, bytes: file.bytes, isImmutable: file.isImmutable,
            compress: type.hasPrefix("image/") && !type.hasSuffix("xml") ? nil : Gzip.compressed)
    }

    /// The page from the folder of `--web`, or the embedded page.
    private static func page(_ folder: String?, relativeTo directory: String) throws -> StaticFiles {
        if let folder {
            let folder = MediaArgument.absolute(folder, relativeTo: directory)
            do { return try StaticFiles(directory: folder) } catch { throw Unusable(description: "the folder \(folder) of --web cannot be read") }
        }
        return StaticFiles(Dictionary(uniqueKeysWithValues: RemoteAssets.page().map { ("/" + $0.path, Self.file($0)) }))
    }
}

/// The wait at the stop of the daemon in which the last answers are sent: until no request waits, within two limits.
@MainActor final class LastAnswers {
    /// The shortest wait, in seconds: for requests that still arrive, and for the ends of event streams.
    static let minimum = 0.05
    /// The longest wait, in seconds: the limit for a client that does not read its answer.
    static let maximum = 1.0
    private static let interval = 0.01

    private let clock: any HostClock
    private let scheduler: any MainScheduler
    private let isAnswering: @MainActor () -> Bool
    private var next: (any ScheduledAction)?

    /// - Parameter isAnswering: Returns whether a request waits for its answer, or for the rest of it.
    init(clock: any HostClock, scheduler: any MainScheduler, isAnswering: @escaping @MainActor () -> Bool) {
        self.clock = clock
        self.scheduler = scheduler
        self.isAnswering = isAnswering
    }

    /// Calls `done` as soon as no request waits for its answer (`isAnswering`), but not earlier than `minimum` and not later than `maximum` from now.
    func wait(_ done: @escaping @MainActor @Sendable () -> Void) { check(after: Self.minimum, until: clock.now + Self.maximum, done) }

    private func check(after seconds: Double, until latest: HostTime, _ done: @escaping @MainActor @Sendable () -> Void) {
        next = scheduler.schedule(at: clock.now + seconds) { [self] in
            if isAnswering(), clock.now < latest { check(after: Self.interval, until: latest, done) } else { done() }
        }
    }
}

/// The log lines of a started server: the addresses of the page, and the token or its file's path.
struct Announcement {
    var address: ListenAddress
    var interfaces: [InterfaceAddress]
    var token: AccessToken?
    /// The path of the token's file; nil if clients need no token.
    var tokenFile: String?
    /// Whether the log is stored (`Log.isKept`). Other users may read it then, so it gets the path of the token's file, and not the token.
    var isLogKept: Bool

    func write(to log: Log) {
        let shown = isLogKept ? nil : token?.text
        log(.info, "the remote is ready", ["at": address.page(token: shown)])
        for page in address.pages(on: interfaces, token: shown) {
            log(.info, "the address for a phone in the same network", ["at": page])
        }
        guard token != nil, shown == nil, let tokenFile else { return }
        log(.info, "the page requires the token, which is in a file that only its owner can read", ["file": tokenFile])
    }
}
