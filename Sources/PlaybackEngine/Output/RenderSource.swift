import Synchronization

/// The ring between the engine, which writes, and a device's audio thread, which renders. REALTIME: `render` neither locks nor allocates (the
/// compiler checks it).
///
/// Rendered frames remain stored for a while. Frames that a device has returned (`reset`) can be appended again, or mixed with their replacement.
///
/// One writer and one reader. `@unchecked Sendable`: the engine's thread writes only unpublished frames, and the audio thread reads only published
/// ones. `reset` is called by the engine's thread while the sink guarantees that no render is in progress. `end`, `kept` and
/// `isHeldBack` belong to the engine's thread.
public final class RenderSource: @unchecked Sendable {
    public let channelCount: Int
    /// The maximum number of frames that have not been rendered.
    public let capacity: Int
    /// The number of frames in the storage: the capacity, and the frames rendered before.
    private let storedFrames: Int
    private let storage: UnsafeMutablePointer<Float>
    /// Stored by the engine's thread, loaded by the audio thread.
    private let written: Atomic<Int64>
    /// Stored by the audio thread, loaded by the engine's thread.
    private let rendered: Atomic<Int64>

    /// The number of the frame after the last one written, published or not.
    private var end: Int64
    /// The end of the returned frames that are still stored. They begin at `end`.
    private var kept: Int64
    /// Whether written frames are not published, so that the audio thread cannot render them. Set by `OutputStage` alone, which decides when a device
    /// waits; the ring only keeps it.
    var isHeldBack = false

    /// Makes an empty ring whose first frame has the number `base`.
    ///
    /// - Parameter history: the number of rendered frames that are kept.
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

    /// The number of the next frame to be published. The audio thread can render the frames before it.
    public var writtenFrames: Int64 { written.load(ordering: .acquiring) }
    /// The number of the next frame to be rendered.
    public var renderedFrames: Int64 { rendered.load(ordering: .acquiring) }
    /// The number of the next frame to be written. The engine's thread.
    public var endFrame: Int64 { end }
    /// The free capacity, in frames. The engine's thread.
    public var freeFrames: Int { max(0, capacity - Int(end - rendered.load(ordering: .acquiring))) }

    /// Writes as many of `frameCount` interleaved frames as fit. Returns their number. The engine's thread.
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

    /// Copies up to `frameCount` frames to `output` and takes them. Returns their number; the device has to fill the rest.
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

    /// Empties the ring. The next frame written has the number `frame`. Called on the engine's thread while no render is in progress.
    public func reset(to frame: Int64) {
        kept = frame <= end ? max(kept, end) : frame
        end = frame
        rendered.store(frame, ordering: .releasing)
        written.store(frame, ordering: .releasing)
    }

    // MARK: Returned frames. The engine's thread.

    /// Publishes the written frames to the audio thread, all of them or up to a frame.
    func publish(upTo frame: Int64 = .max) { written.store(min(end, frame), ordering: .releasing) }

    /// The number of returned frames that are still stored after the last one written.
    var keptFrames: Int { kept - end <= Int64(storedFrames) ? Int(kept - end) : 0 }

    /// Appends the next `count` returned frames, as if they had been written again.
    func takeUp(_ count: Int) { end += Int64(min(count, keptFrames)) }

    /// Removes the frames from `frame` on, which must not have been published.
    func truncate(to frame: Int64) {
        guard frame < end else { return }
        end = frame
        kept = frame
    }

    /// Appends `count` silent frames, whose samples are set through `pointer(to:)` before they are published.
    func reserve(_ count: Int) {
        for offset in 0..<count { pointer(to: end + Int64(offset)).update(repeating: 0, count: channelCount) }
        end += Int64(count)
        kept = end
    }

    /// Returns the samples of a stored frame.
    func pointer(to frame: Int64) -> UnsafeMutablePointer<Float> { storage + Int(frame % Int64(storedFrames)) * channelCount }

    /// Returns a copy of stored frames.
    func copy(from frame: Int64, count: Int) -> [Float] {
        // All threads share one empty array, and making one here would write to it.
        guard count > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: count * channelCount) { buffer, initialized in
            for offset in 0..<count {
                for channel in 0..<channelCount { buffer[offset * channelCount + channel] = pointer(to: frame + Int64(offset))[channel] }
            }
            initialized = count * channelCount
        }
    }

    /// Multiplies unpublished frames by a gain that depends on their index.
    func scale(from frame: Int64, count: Int, _ gain: (Int) -> Float) {
        for offset in 0..<max(0, count) {
            let samples = pointer(to: frame + Int64(offset))
            for channel in 0..<channelCount { samples[channel] *= gain(offset) }
        }
    }
}
