import CoreMedia
public import Platform
import Synchronization

/// The clock of playback: computes the item and the media position that are heard at a host time, from the playhead of the device and the timeline.
/// Any thread may read the playback clock. The engine's thread publishes the timeline and the device to the clock.
public final class PlaybackClock: Sendable {
    private struct State {
        var timeline = Timeline()
        var sink: (any AudioSink)?
        /// The playhead of the device that was closed or lost last, stopped at the frame that was heard last; nil if no device was closed yet. Until
        /// another device is open, the playback position is this frame. The value is kept also while another device is open.
        var lastPlayhead: Playhead?

        var playhead: Playhead? { sink?.playhead ?? lastPlayhead }
    }
    private let state = Mutex(State())
    private let clock: any HostClock

    public init(clock: any HostClock) { self.clock = clock }

    /// The timeline and the device's playhead, read at the same time. Values that are computed from one snapshot are consistent.
    public struct Snapshot: Sendable {
        /// The timeline of the rendered frames that the engine published last.
        public let timeline: Timeline
        /// The playhead of the open device; if no device is open, the playhead of the last device; nil before the first device opens.
        let playhead: Playhead?

        /// Whether the device is running.
        public var isRunning: Bool { playhead?.isRunning ?? false }

        /// Returns the item and the media position that are heard at host time `time`, which has to be near the time of the snapshot.
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

        /// Returns the host time at which an output frame is heard; nil while the device is stopped.
        public func hostTime(ofFrame frame: Int64) -> HostTime? {
            guard let playhead, playhead.isRunning else { return nil }
            return playhead.hostTime + Double(frame - playhead.frame) / Double(timeline.sampleRate)
        }
    }

    /// The present timeline and playhead.
    public var snapshot: Snapshot { state.withLock { Snapshot(timeline: $0.timeline, playhead: $0.playhead) } }

    /// The timeline of the rendered frames that the engine published last.
    public var timeline: Timeline { state.withLock { $0.timeline } }

    /// Returns the item and the media position that are heard now.
    public func now() -> PlaybackInstant { reading(at: clock.now) }

    /// Returns the item and the media position that are heard at `time`, which has to be near the present.
    public func reading(at time: HostTime) -> PlaybackInstant { snapshot.reading(at: time) }

    /// Returns the host time at which an output frame is heard, which may be a time in the past; nil while the device is stopped.
    public func hostTime(ofFrame frame: Int64) -> HostTime? { snapshot.hostTime(ofFrame: frame) }

    /// Whether the device is running.
    public var isRunning: Bool { snapshot.isRunning }

    /// Publishes the timeline of the rendered frames. The engine's thread calls `publish`, or a test in place of the engine.
    package func publish(_ timeline: Timeline) { state.withLock { $0.timeline = timeline } }
    /// Publishes the open device, or nil after the device was closed or lost. Without a device, the frame that was heard last stays the position
    /// until another device is open: the clock stores this frame as a stopped playhead. The engine's thread calls `publish`, or a test in
    /// place of the engine.
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
