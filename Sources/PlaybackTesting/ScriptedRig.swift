public import AVFoundation
import CoreMedia
import Glibc
import Platform
public import PlaybackEngine
import Synchronization

/// A player's environment without waits: virtual time, scripted engines, and an opener for assets.
@MainActor public final class ScriptedRig {
    public let clock = VirtualClock()
    public let scheduler: VirtualScheduler
    public let host: ScriptedEngineHost
    public let opener = ScriptedMediaOpener()
    public private(set) var environment: PlaybackEnvironment
    public let session = AVAudioSession()

    public init(canReverse: Bool = false, outputs: [OutputDriver] = [.null]) {
        scheduler = VirtualScheduler(clock: clock)
        host = ScriptedEngineHost(clock: clock)
        environment = PlaybackEnvironment(
            opener: opener, outputs: outputs, clock: clock, scheduler: scheduler, engineHost: host, canReverse: canReverse)
        environment.wallClock = FixedWallClock()
        environment.session = session
    }

    /// The engine that was started last.
    public var engine: ScriptedEngine {
        guard let engine = host.engines.last else { preconditionFailure("no player of this rig has started an engine") }
        return engine
    }

    /// Adds a medium at `/name`.
    public func add(_ name: String, _ medium: ScriptedMedium) {
        host.setMedium(medium, at: "/" + name)
        opener.setMedium(medium, at: "/" + name)
    }

    /// Returns an asset for a new medium at `/name`.
    public func asset(_ name: String, seconds: Double = 10) -> AVAsset {
        add(name, ScriptedMedium(seconds: seconds))
        return asset(of: name)
    }

    /// Returns an asset for `/name`, even without a medium.
    public func asset(of name: String) -> AVAsset {
        AVAsset(source: MediaSource(.file(path: "/" + name)), environment: environment)
    }

    /// Returns an item for a new medium at `/name`.
    public func item(_ name: String, seconds: Double = 10) -> AVPlayerItem { AVPlayerItem(asset: asset(name, seconds: seconds)) }
    /// Returns an item for `/name`, even without a medium.
    public func item(of name: String) -> AVPlayerItem { AVPlayerItem(asset: asset(of: name)) }

    public func player(_ item: AVPlayerItem? = nil) -> AVPlayer { AVPlayer(playerItem: item, environment: environment) }
    public func queue(_ items: [AVPlayerItem] = []) -> AVQueuePlayer { AVQueuePlayer(items: items, environment: environment) }

    /// Runs the enqueued work of the main actor.
    public func run() { scheduler.run() }
    public func advance(_ seconds: Double) { scheduler.advance(by: seconds) }
}

/// An opener that counts the attempts to open media. The opening of a medium with `isHeld` blocks until `release`.
public final class ScriptedMediaOpener: MediaOpener {
    private struct State {
        var media: [String: ScriptedMedium] = [:]
        var openCount = 0
        var pictures: [String: Artwork] = [:]
        var pictureSources: [MediaSource] = []
    }
    private let state = Mutex(State())

    public init() {}

    public func setMedium(_ medium: ScriptedMedium, at path: String) { state.withLock { $0.media[path] = medium } }
    public func setPicture(_ picture: Artwork, at url: String) { state.withLock { $0.pictures[url] = picture } }
    /// The sources of all pictures that were requested, found or not, in order.
    public var pictureSources: [MediaSource] { state.withLock { $0.pictureSources } }
    /// The number of attempts to open a medium, successful or not.
    public var openCount: Int { state.withLock { $0.openCount } }
    public func release(_ path: String) { state.withLock { $0.media[path]?.isHeld = false } }

    public func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        let path = source.name
        state.withLock { $0.openCount += 1 }
        while true {
            if interrupt.isRaised { throw PlaybackError(.cancelled, "Opening was cancelled.") }
            guard let medium = state.withLock({ $0.media[path] }) else { throw PlaybackError(.fileNotFound, "There is no such file.") }
            if let failure = medium.failure { throw failure }
            if !medium.isHeld { return SilentReader(info: medium.info) }
            sched_yield()
        }
    }
}

extension ScriptedMediaOpener {
    public func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        let picture = state.withLock { state -> Artwork? in
            state.pictureSources.append(source)
            guard case .remote(let url) = source.location else { return nil }
            return state.pictures[url]
        }
        guard let picture else { throw PlaybackError(.fileNotFound, "There is no such picture.") }
        return picture
    }
}

/// A reader without audio, of which tests use only `info`.
private final class SilentReader: AudioReader {
    let info: MediaInfo
    init(info: MediaInfo) { self.info = info }
    var duration: MediaDuration { info.duration }
    var skippedPackets: Int { 0 }
    func setOutputFormat(_ format: AudioFormat) {}
    func read() -> AudioBlock? { nil }
    func seek(to position: Int64, before: Int64, after: Int64) -> Int64 { position }
}
