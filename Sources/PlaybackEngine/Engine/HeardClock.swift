public import CoreMedia
public import Platform
import Synchronization

/// Computes the item and the media position that are heard at a host time, from the device's playhead and the timeline. The engine's thread publishes
/// both; any thread may read the clock.
public final class HeardClock: Sendable {
    private struct State {
        var timeline = Timeline()
        var sink: (any AudioSink)?
        /// The playhead of the last device, stopped at the frame that was heard last: the position until another device is open.
        var lastPlayhead: Playhead?

        var playhead: Playhead? { sink?.playhead ?? lastPlayhead }
    }
    private let state = Mutex(State())
    private let clock: any HostClock

    public init(clock: any HostClock) { self.clock = clock }

    /// Timeline and playhead, read at the same time.
    public struct Snapshot: Sendable {
        public let timeline: Timeline
        /// The playhead of the open device; while none is open, that of the last device; nil before the first is opened.
        let playhead: Playhead?

        public var isRunning: Bool { playhead?.isRunning ?? false }

        /// The item and position that are heard at `time`, which has to be near the time of the snapshot.
        public func reading(at time: HostTime) -> PlaybackInstant {
            guard let playhead else { return PlaybackInstant(hostTime: time, frame: timeline.written, item: nil, time: .zero, rate: 0) }
            let unlimited = playhead.frame(at: time, sampleRate: timeline.sampleRate)
            let frame = min(unlimited, timeline.written)
            guard let segment = timeline.segment(at: frame) ?? timeline.segments.first else {
                return PlaybackInstant(hostTime: time, frame: frame, item: nil, time: .zero, rate: 0)
            }
            let inside = max(segment.start, min(frame, segment.end ?? frame))
            let moving = playhead.isRunning && time >= playhead.hostTime && frame < timeline.written
            return PlaybackInstant(
                hostTime: time, frame: frame, item: segment.item, time: timeline.time(ofMediaFrame: segment.mediaFrame(at: inside)),
                rate: moving ? segment.rate : 0)
        }

        /// The host time at which a frame is heard; nil while the device is stopped.
        public func hostTime(ofFrame frame: Int64) -> HostTime? {
            guard let playhead, playhead.isRunning else { return nil }
            return playhead.hostTime + Double(frame - playhead.frame) / Double(timeline.sampleRate)
        }
    }

    public var snapshot: Snapshot { state.withLock { Snapshot(timeline: $0.timeline, playhead: $0.playhead) } }

    /// The timeline that was published last.
    public var timeline: Timeline { state.withLock { $0.timeline } }

    public func now() -> PlaybackInstant { reading(at: clock.now) }

    /// The item and position that are heard at `time`, which has to be near the present.
    public func reading(at time: HostTime) -> PlaybackInstant { snapshot.reading(at: time) }

    /// The host time at which a frame is heard, possibly in the past; nil while the device is stopped.
    public func hostTime(ofFrame frame: Int64) -> HostTime? { snapshot.hostTime(ofFrame: frame) }

    public var isRunning: Bool { snapshot.isRunning }

    /// The latency of the open device (`AudioSink.latency`); 0 while none is open.
    public var outputLatency: Double { state.withLock { $0.sink }?.latency ?? 0 }
    /// The time between two requests of the open device for frames (`AudioSink.requestInterval`); 0 while none is open.
    public var requestInterval: Double { state.withLock { $0.sink }?.requestInterval ?? 0 }

    /// The volume of the open device for all programs (`AudioSink.deviceVolume`); 1 while none is open.
    public var deviceVolume: Float { state.withLock { $0.sink }?.deviceVolume ?? 1 }

    /// Publishes the timeline. Called on the engine's thread.
    package func publish(_ timeline: Timeline) { state.withLock { $0.timeline = timeline } }
    /// Publishes the open device, on the engine's thread; nil after it was closed or lost. The frame that was heard last then stays the position.
    package func publish(sink: (any AudioSink)?) {
        let now = clock.now
        state.withLock { state in
            if sink == nil, let last = state.sink?.playhead {
                let heard = min(last.frame(at: now, sampleRate: state.timeline.sampleRate), state.timeline.written)
                state.lastPlayhead = Playhead(frame: heard, hostTime: now, isRunning: false)
            }
            state.sink = sink
        }
    }
}

/// The item and the media position that are heard at a host time.
public struct PlaybackInstant: Sendable, Hashable {
    public var hostTime: HostTime
    /// The number of the output frame.
    public var frame: Int64
    /// The heard item; nil if nothing has been rendered.
    public var item: ItemID?
    /// The media time in `item`.
    public var time: CMTime
    /// Media seconds for each second of host time; 0 if the device is stopped or has no frames.
    public var rate: Double
    public init(hostTime: HostTime, frame: Int64, item: ItemID?, time: CMTime, rate: Double) {
        self.hostTime = hostTime
        self.frame = frame
        self.item = item
        self.time = time
        self.rate = rate
    }
}
