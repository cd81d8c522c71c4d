import Synchronization

/// The ring of frames between the engine, which writes, and a device's audio thread, which renders. REALTIME: `render` neither locks nor allocates
/// (the compiler checks this rule).
///
/// Frames that the device has taken remain stored for a while. If the device returns frames (`reset`), these frames can be appended again, or mixed
/// with their replacement.
///
/// One thread writes the ring and one thread reads it. `@unchecked Sendable`: the engine's thread writes only unpublished frames, and the audio
/// thread reads only published frames. The engine's thread calls `reset` while the sink guarantees that no `render` is in progress. The properties
/// `end`, `kept` and `isHeld` of the ring belong to the engine's thread.
public final class RenderRing: @unchecked Sendable {
    public let channelCount: Int
    /// The maximum number of frames in the ring that the device has not taken.
    public let capacity: Int
    /// The number of frames in the storage: `capacity`, plus the frames that are kept after the device has taken them.
    private let storedFrames: Int
    private let storage: UnsafeMutablePointer<Float>
    /// The number of the next frame to be published. The engine's thread stores the number `written`, and the audio thread loads it.
    private let written: Atomic<Int64>
    /// The number of the next frame that the device takes. The audio thread stores the number `rendered`, and the engine's thread loads it.
    private let rendered: Atomic<Int64>

    /// The number of the next frame to be written. While a mix is incomplete, the last frames before number `end` are written but not published.
    private var end: Int64
    /// The end of the frames that the device has returned and that are still stored: the returned frames have the numbers from `end` up to, but not
    /// including, `kept`. If there are no returned frames, `kept` equals `end`.
    private var kept: Int64
    /// Whether written frames stay unpublished, so that the audio thread cannot render them.
    private(set) var isHeld = false

    /// Makes an empty ring whose first frame has the number `base`.
    ///
    /// - Parameter history: the number of frames that are kept after the device has taken them.
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

    /// The number of the next frame to be published. The audio thread can render only the frames before number `writtenFrames`.
    public var writtenFrames: Int64 { written.load(ordering: .acquiring) }
    /// The number of the next frame that the device takes (renders).
    public var renderedFrames: Int64 { rendered.load(ordering: .acquiring) }
    /// The number of the next frame to be written. Only the engine's thread reads `endFrame`.
    public var endFrame: Int64 { end }
    /// The free capacity of the ring, in frames. Only the engine's thread reads `freeFrames`.
    public var freeFrames: Int { max(0, capacity - Int(end - rendered.load(ordering: .acquiring))) }

    /// Writes as many of `frameCount` interleaved frames as the ring has capacity for. Returns the number of written frames. Only the engine's thread
    /// writes to the ring.
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
        if !isHeld { publish() }
        return count
    }

    /// Copies up to `frameCount` frames to `output`, and counts these frames as taken. Returns the number of copied frames; the device has to fill
    /// the remainder of `output` with silence. Only the audio thread calls `render`.
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

    /// Empties the ring: the audio thread gets no frames until new ones are published, and the next frame that is written has the number `frame`. The
    /// samples of the former frames from this number on stay stored: these frames count as returned by the device (`keptFrames`), and `takeUp` can
    /// append them again. The engine's thread calls `reset` while no `render` is in progress.
    public func reset(to frame: Int64) {
        kept = frame <= end ? max(kept, end) : frame
        end = frame
        rendered.store(frame, ordering: .releasing)
        written.store(frame, ordering: .releasing)
    }

    // MARK: Publication, and frames that the device has returned; on the engine's thread

    /// Keeps the frames that are written from now on unpublished, until `release`. A call of `publish` still publishes them.
    func hold() { isHeld = true }

    /// Ends the effect of `hold`. The next `write` publishes all written frames.
    func release() { isHeld = false }

    /// Publishes the written frames before frame number `frame` to the audio thread; without an argument, all written frames.
    func publish(upTo frame: Int64 = .max) { written.store(min(end, frame), ordering: .releasing) }

    /// The number of frames that the device has returned and that are still stored. The numbers of these frames begin at `endFrame`.
    var keptFrames: Int { kept - end <= Int64(storedFrames) ? Int(kept - end) : 0 }

    /// Appends the next `count` frames that the device has returned, without writing their samples again.
    func takeUp(_ count: Int) { end += Int64(min(count, keptFrames)) }

    /// Removes the frames from number `frame` on, which must not have been published to the audio thread.
    func truncate(to frame: Int64) {
        guard frame < end else { return }
        end = frame
        kept = frame
    }

    /// Appends `count` silent frames. The samples of reserved frames can be changed through `pointer(to:)` before the frames are published.
    func reserve(_ count: Int) {
        for offset in 0..<count { pointer(to: end + Int64(offset)).update(repeating: 0, count: channelCount) }
        end += Int64(count)
        kept = end
    }

    /// Returns the samples of the stored frame with number `frame`.
    func pointer(to frame: Int64) -> UnsafeMutablePointer<Float> { storage + Int(frame % Int64(storedFrames)) * channelCount }

    /// Returns a copy of `count` stored frames from number `frame` on, as interleaved samples.
    func copy(from frame: Int64, count: Int) -> [Float] {
        // All empty arrays share one storage, and `Array(unsafeUninitializedCapacity:)` would write to the shared storage.
        guard count > 0 else { return [] }
        return [Float](unsafeUninitializedCapacity: count * channelCount) { buffer, initialized in
            for offset in 0..<count {
                for channel in 0..<channelCount { buffer[offset * channelCount + channel] = pointer(to: frame + Int64(offset))[channel] }
            }
            initialized = count * channelCount
        }
    }

    /// Multiplies unpublished frames of the ring by a gain. The scaled frames begin with number `frame`. The gain of a frame depends on the frame's
    /// index, counted from 0.
    func scale(from frame: Int64, count: Int, _ gain: (Int) -> Float) {
        for offset in 0..<max(0, count) {
            let samples = pointer(to: frame + Int64(offset))
            for channel in 0..<channelCount { samples[channel] *= gain(offset) }
        }
    }
}
