import Platform
import PlaybackEngine
import Player
import Synchronization

/// A media opener for tests. A medium has samples that the test computes, or fails to open. The opener records the media that it opens.
final class FakeOpener: MediaOpener {
    struct Medium: Sendable {
        var frames: Int64 = 0
        var sampleRate = 1000
        var channels = 1
        var isLive = false
        /// Returns the sample at a frame (the first parameter) and a channel (the second).
        var sample: @Sendable (Int64, Int) -> Float = { _, _ in 0 }
        var metadata: [MetadataEntry] = []
        var artwork: Artwork?
        var failure: PlaybackError?
        /// The position at which reading fails, in frames; nil if reading does not fail.
        var failsAt: Int64?
        /// A function that is called before each block is read, on the thread that reads.
        var willRead: (@Sendable () -> Void)?
    }

    private struct State {
        var media: [String: Medium] = [:]
        var openings: [MediaSource] = []
        var report = Result<AssetReport, PlayerState.Failure>.success(AssetReport())
        var isHeld = false
        /// The slots of inspections that have timed out, and whose threads have not ended yet.
        var slots: [SlotPool.Slot] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func setMedium(_ medium: Medium, at path: String) { state.withLock { $0.media[path] = medium } }
    /// The sources that were opened or inspected, in order.
    var openings: [MediaSource] { state.withLock { $0.openings } }
    /// Sets the result of all later inspections.
    func setReport(_ report: Result<AssetReport, PlayerState.Failure>) { state.withLock { $0.report = report } }
    /// Makes each later inspection wait until it is interrupted.
    func hold() { state.withLock { $0.isHeld = true } }
    /// Ends the threads of the waiting inspections, which have timed out before.
    func endThreads() {
        let slots = state.withLock { state in
            defer { state.slots = [] }
            return state.slots
        }
        withExtendedLifetime(slots) {}
    }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        guard case .file(let path) = source.location,
            let medium = state.withLock({ state -> Medium? in
                state.openings.append(source)
                return state.media[path.text]
            })
        else { throw PlaybackError(.fileNotFound, "There is no such file.") }
        if let failure = medium.failure { throw failure }
        return Reader(medium, interrupt)
    }

    func inspect(
        _ source: MediaSource, _ interrupt: AssetInterrupt, _ slot: SlotPool.Slot
    ) async -> Result<AssetReport, PlayerState.Failure> {
        let isHeld = state.withLock { state in
            state.openings.append(source)
            if state.isHeld { state.slots.append(slot) }
            return state.isHeld
        }
        if isHeld {
            interrupt.arm { [self] in
                for waiter in state.withLock({ std in
                    defer { std.waiting = [] }; return std.waiting
                }) { waiter.resume() }
            }
            await withCheckedContinuation { continuation in state.withLock { $0.waiting.append(continuation) } }
            return .failure(PlayerState.Failure(code: .cancelled, message: "It was cancelled."))
        }
        return state.withLock { $0.report }
    }

    private final class Reader: AudioReader {
        let medium: Medium
        let interrupt: Interrupt
        private var position: Int64 = 0
        init(_ medium: Medium, _ interrupt: Interrupt) {
            self.medium = medium
            self.interrupt = interrupt
        }

        var info: MediaInfo {
            MediaInfo(
                containerName: "fake", codecName: "fake",
                format: AudioFormat(sampleRate: medium.sampleRate, channelLayout: ChannelLayout(count: medium.channels)),
                duration: medium.frames > 0 ? .exact(frames: medium.frames, sampleRate: medium.sampleRate) : .unknown, isLive: medium.isLive,
                metadata: medium.metadata, artwork: medium.artwork)
        }
        var duration: MediaDuration { .unknown }
        var skippedPackets: Int { 0 }
        func setOutputFormat(_ format: AudioFormat) {}
        func seek(to position: Int64, before: Int64, after: Int64) -> Int64 { position }

        func read() throws(PlaybackError) -> AudioBlock? {
            medium.willRead?()
            if interrupt.isRaised { throw PlaybackError(.cancelled, "It was cancelled.") }
            if let failsAt = medium.failsAt, position >= failsAt { throw PlaybackError(.corruptMedia, "It is broken here.") }
            guard position < medium.frames else { return nil }
            let count = Int(min(333, medium.frames - position))
            let (first, channels, sample) = (position, medium.channels, medium.sample)
            position += Int64(count)
            return AudioBlock(position: first, frameCount: count, channelCount: channels) { buffer in
                for index in buffer.indices { buffer[index] = sample(first + Int64(index / channels), index % channels) }
            }
        }
    }
}
