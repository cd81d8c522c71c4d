import Synchronization

/// The ring between the engine, which writes, and a device's audio thread, which renders. REALTIME: `render` neither locks nor allocates
/// (the compiler checks it).
///
/// What was rendered stays in it for a while: what a device gave back (`reset`) can be taken up again, or blended with what takes its place.
///
/// One writer and one reader. `@unchecked Sendable`: `storage` is written only in the part of the ring that `written` has not published and
/// read by the audio thread only in the part that it has; `reset` runs while the sink guarantees that no render is under way and the engine is the
/// caller; `end`, `kept` and `isHeldBack` belong to the engine's thread.
public final class RenderSource: @unchecked Sendable {
    public let channelCount: Int
    /// Room for this many frames that have not been rendered.
    public let capacity: Int
    /// Frames that the storage holds: the room, and what was rendered before.
    private let storedFrames: Int
    private let storage: UnsafeMutablePointer<Float>
    /// Two ends: the engine's thread stores, the audio thread loads.
    private let written: Atomic<Int64>
    /// Two ends: the audio thread stores, the engine's thread loads.
    private let rendered: Atomic<Int64>

    /// Behind the last frame written, published or not.
    private var end: Int64
    /// Frames from `end` up to here were given back by the device, and are still stored.
    private var kept: Int64
    /// While true, what is written is not published: the audio thread sees nothing of it.
    var isHeldBack = false

    /// An empty ring whose first frame will have number `base`.
    ///
    /// - Parameter history: how many rendered frames are kept.
    public init(minimumCapacity: Int, history: Int = 0, channelCount: Int, base: Int64 = 0) {
        precondition(minimumCapacity > 0 && history >= 0 && channelCount > 0 && base >= 0)
        capacity = minimumCapacity
        storedFrames = minimumCapacity + history
        self.channelCount = channelCount
        storage = .allocate(capacity: storedFrames * channelCount)
        storage.initialize(repeating: 0, count: storedFrames * channelCount)
        written = Atomic(base)
        rendered = Atomic(base)
        end = base
        kept = base
    }

    deinit { storage.deallocate() }

    /// The number of the next frame to be published: the audio thread finds those before it.
    public var writtenFrames: Int64 { written.load(ordering: .acquiring) }
    /// The number of the next frame to be rendered.
    public var renderedFrames: Int64 { rendered.load(ordering: .acquiring) }
    /// The number of the next frame to be written. The engine's thread.
    public var endFrame: Int64 { end }
    /// Room for the writer, in frames. The engine's thread.
    public var freeFrames: Int { max(0, capacity - Int(end - rendered.load(ordering: .acquiring))) }

    /// Writes what fits of `frameCount` interleaved frames; returns how many. The engine's thread.
    public func write(_ samples: UnsafePointer<Float>, frameCount: Int) -> Int {
        let count = min(frameCount, freeFrames)
        var done = 0
        while done < count {
            let at = Int((end + Int64(done)) % Int64(storedFrames))
            let run = min(count - done, storedFrames - at)
            (storage + at * channelCount).update(from: samples + done * channelCount, count: run * channelCount)
            done += run
        }
        end += Int64(count)
        if count > 0 { kept = end }
        if !isHeldBack { publish() }
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
            let at = Int((start &+ Int64(done)) % Int64(storedFrames))
            let toEnd = storedFrames - at
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

    /// Empties the ring; the next frame written will have number `frame`. Only from `AudioSink.flush`, `hold`, `replace` and `open`, on the engine's
    /// thread, while no render is under way.
    public func reset(to frame: Int64) {
        kept = frame <= end ? max(kept, end) : frame
        end = frame
        rendered.store(frame, ordering: .releasing)
        written.store(frame, ordering: .releasing)
    }

    // MARK: What was given back. The engine's thread.

    /// Shows the audio thread what has been written, all of it or up to a frame.
    func publish(upTo frame: Int64 = .max) { written.store(min(end, frame), ordering: .releasing) }

    /// How many frames that were given back are stored behind the last one written.
    var keptFrames: Int { kept - end <= Int64(storedFrames) ? Int(kept - end) : 0 }

    /// Takes up the next `count` frames that were given back as if they had been written again.
    func takeUp(_ count: Int) { end += Int64(min(count, keptFrames)) }

    /// Forgets what has been written from a frame on that has not been published.
    func truncate(to frame: Int64) {
        guard frame < end else { return }
        end = frame
        kept = frame
    }

    /// Makes room for frames that are to be filled in by `update` before they are published.
    func reserve(_ count: Int) {
        for offset in 0..<count { pointer(to: end + Int64(offset)).update(repeating: 0, count: channelCount) }
        end += Int64(count)
        kept = end
    }

    /// The samples of a stored frame.
    func pointer(to frame: Int64) -> UnsafeMutablePointer<Float> { storage + Int(frame % Int64(storedFrames)) * channelCount }

    /// Stored frames, copied.
    func copy(from frame: Int64, count: Int) -> [Float] {
        // An array of none is one and the same for all threads, and its making would write to it.
        guard count > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: count * channelCount) { buffer, initialized in
            for offset in 0..<count {
                for channel in 0..<channelCount { buffer[offset * channelCount + channel] = pointer(to: frame + Int64(offset))[channel] }
            }
            initialized = count * channelCount
        }
    }

    /// Multiplies stored frames that have not been published.
    func scale(from frame: Int64, count: Int, _ gain: (Int) -> Float) {
        for offset in 0..<max(0, count) {
            let samples = pointer(to: frame + Int64(offset))
            for channel in 0..<channelCount { samples[channel] *= gain(offset) }
        }
    }
}
