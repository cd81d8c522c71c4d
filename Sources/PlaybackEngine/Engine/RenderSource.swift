import Synchronization

/// The ring between the engine, which writes, and a device's audio thread, which renders. REALTIME: `render` neither locks nor allocates
/// (the compiler checks it).
///
/// One writer and one reader. `@unchecked Sendable`: `storage` is written only in the part of the ring that `written` has not published and
/// read only in the part that it has; `reset` runs while the sink guarantees that no render is under way and the engine is the caller.
public final class RenderSource: @unchecked Sendable {
    public let channelCount: Int
    /// Room for this many frames; a power of two.
    public let capacity: Int
    private let mask: Int64
    private let storage: UnsafeMutablePointer<Float>
    /// Two ends: the engine's thread stores, the audio thread loads.
    private let written: Atomic<Int64>
    /// Two ends: the audio thread stores, the engine's thread loads.
    private let rendered: Atomic<Int64>

    /// An empty ring whose first frame will have number `base`.
    public init(minimumCapacity: Int, channelCount: Int, base: Int64 = 0) {
        precondition(minimumCapacity > 0 && channelCount > 0)
        var capacity = 1
        while capacity < minimumCapacity { capacity <<= 1 }
        self.capacity = capacity
        self.channelCount = channelCount
        mask = Int64(capacity - 1)
        storage = .allocate(capacity: capacity * channelCount)
        storage.initialize(repeating: 0, count: capacity * channelCount)
        written = Atomic(base)
        rendered = Atomic(base)
    }

    deinit { storage.deallocate() }

    /// The number of the next frame to be written.
    public var writtenFrames: Int64 { written.load(ordering: .acquiring) }
    /// The number of the next frame to be rendered.
    public var renderedFrames: Int64 { rendered.load(ordering: .acquiring) }
    /// Room for the writer, in frames.
    public var freeFrames: Int { capacity - Int(written.load(ordering: .relaxed) - rendered.load(ordering: .acquiring)) }

    /// Writes what fits of `frameCount` interleaved frames; returns how many. The engine's thread.
    public func write(_ samples: UnsafePointer<Float>, frameCount: Int) -> Int {
        let start = written.load(ordering: .relaxed)
        let count = min(frameCount, freeFrames)
        var done = 0
        while done < count {
            let at = Int((start + Int64(done)) & mask)
            let run = min(count - done, capacity - at)
            (storage + at * channelCount).update(from: samples + done * channelCount, count: run * channelCount)
            done += run
        }
        written.store(start + Int64(count), ordering: .releasing)
        return count
    }

    /// Copies up to `frameCount` frames to `output` and takes them. Returns how many there were: a device fills the rest as it must.
    @_noLocks @_noAllocation
    public func render(into output: UnsafeMutablePointer<Float>, frameCount: Int) -> Int {
        let start = rendered.load(ordering: .relaxed)
        let available = Int(written.load(ordering: .acquiring) - start)
        let count = frameCount < available ? frameCount : available
        var done = 0
        while done < count {
            let at = Int((start + Int64(done)) & mask)
            let toEnd = capacity - at
            let run = count - done < toEnd ? count - done : toEnd
            let to = output + done * channelCount
            let from = storage + at * channelCount
            var sample = 0
            while sample < run &* channelCount {
                to[sample] = from[sample]
                sample &+= 1
            }
            done += run
        }
        rendered.store(start + Int64(count), ordering: .releasing)
        return count
    }

    /// Empties the ring; the next frame written will have number `frame`. Only from `AudioSink.flush` and `open`, on the engine's thread, while
    /// no render is under way.
    public func reset(to frame: Int64) {
        rendered.store(frame, ordering: .releasing)
        written.store(frame, ordering: .releasing)
    }
}
