import Platform
import PlaybackEngine

/// Playback on an open device: takes frames from the source, and gives them to the device. `ALSASink` adds a thread and a lock.
struct ALSAStream {
    /// The greatest number of frames that are taken from the source at once.
    private static let blockFrames = 4_096

    private let pcm: PCM
    private let source: RenderRing
    private let channelCount: Int
    private let sampleRate: Int
    private var gain: GainRamp
    private var noise: DitherNoise?
    private(set) var isStarted = false
    /// The number of the next frame that the device gets.
    private var next: Int64
    /// The samples of the last frames that the device got, because it forgets at a stop those that it has not played.
    private var recent: [Float] = []
    /// The samples that the device gets before those of the source.
    private var pending: [Float] = []
    /// Whether the end of the source was reported, and whether that of the device's buffer was.
    private var isEmpty = false, isDrained = false
    private(set) var playhead: Playhead
    /// The failure of the device, after which nothing is played.
    private(set) var failure: PlaybackError?
    /// The frame and the time of the start, if the device has no clock: ALSA's null device takes all frames at once.
    private var unclocked: (frame: Int64, time: HostTime)?

    init(_ pcm: PCM, _ format: AudioFormat, source: RenderRing, base: Int64, gain: Float, now: HostTime) {
        self.pcm = pcm
        self.source = source
        channelCount = format.channelCount
        sampleRate = format.sampleRate
        self.gain = GainRamp(gain: gain, sampleRate: format.sampleRate, channelCount: format.channelCount)
        noise = pcm.encoding.takesDither ? DitherNoise(channelCount: format.channelCount) : nil
        next = base
        playhead = Playhead(frame: base, hostTime: now, isRunning: false)
    }

    mutating func start() { isStarted = true }

    /// Stops the device; the frames that it has not played are kept.
    mutating func stop(at now: HostTime) {
        guard isStarted else { return }
        let unplayed = min(delay(at: now), recent.count / channelCount)
        pcm.drop()
        pending = recent.suffix(unplayed * channelCount) + pending
        next -= Int64(unplayed)
        (recent, isStarted, isEmpty, isDrained, unclocked) = ([], false, false, false, nil)
        playhead = Playhead(frame: next, hostTime: now, isRunning: false)
    }

    /// Stops the device, and withdraws the frames that it has not played. Returns the number of the first.
    mutating func flush(at now: HostTime) -> Int64 {
        stop(at: now)
        pending = []
        source.reset(to: next)
        return next
    }

    mutating func setGain(_ new: Float) {
        if playhead.isRunning { gain.approach(new) } else { gain.jump(to: new) }
    }

    /// The frames that the device has and has not played.
    private func delay(at now: HostTime) -> Int {
        guard let unclocked else { return pcm.delay }
        let heard = unclocked.frame + Int64((now - unclocked.time) * Double(sampleRate))
        return Int(max(0, min(next - heard, Int64(pcm.bufferFrames))))
    }

    /// Fills the device's buffer. Returns the events that have to be sent.
    mutating func step(at now: HostTime) -> [AudioSinkEvent] {
        guard isStarted, failure == nil else { return [] }
        let before = next
        do throws(PlaybackError) {
            var room = unclocked == nil ? try pcm.room() : pcm.bufferFrames - delay(at: now)
            while room > 0 {
                let count = try writeBlock(atMost: min(room, Self.blockFrames))
                guard count > 0 else { break }
                room -= count
            }
        } catch {
            failure = error
            playhead = Playhead(frame: playhead.frame(at: now, sampleRate: sampleRate), hostTime: now, isRunning: false)
            return [.lost(error)]
        }
        // A device that has played its first frames at once has no clock.
        if unclocked == nil, before < next, pcm.delay == 0 { unclocked = (before, now) }
        let left = delay(at: now)
        playhead = Playhead(frame: next - Int64(left), hostTime: now, isRunning: left > 0)
        var events: [AudioSinkEvent] = next > before ? [.consumed] : []
        if next > before { (isEmpty, isDrained) = (false, false) }
        guard pending.isEmpty, source.writtenFrames <= source.renderedFrames else { return events }
        if !isEmpty || (left == 0 && !isDrained) { events.append(.underflow) }
        (isEmpty, isDrained) = (true, left == 0)
        if left == 0 { unclocked = nil }
        return events
    }

    /// The time of the next step; nil while there is nothing to do before `start` or a new frame.
    func nextStep(after now: HostTime) -> HostTime? {
        guard isStarted, failure == nil, !isDrained else { return nil }
        let left = Double(delay(at: now)) / Double(sampleRate)
        return now + max(0.002, isEmpty ? left : min(left / 2, requestInterval))
    }

    /// The time in which the device plays half of its buffer, in seconds.
    var requestInterval: Double { Double(pcm.bufferFrames) / Double(sampleRate) / 2 }

    /// Gives the next frames to the device. Returns how many it has taken; 0 if there are none, or the device takes none.
    private mutating func writeBlock(atMost count: Int) throws(PlaybackError) -> Int {
        var samples: [Float]
        if pending.isEmpty {
            samples = [Float](unsafeUninitializedCapacity: count * channelCount) { [source, channelCount] buffer, filled in
                filled = (buffer.baseAddress.map { source.render(into: $0, frameCount: count) } ?? 0) * channelCount
            }
        } else {
            samples = Array(pending.prefix(count * channelCount))
            pending.removeFirst(samples.count)
        }
        let frames = samples.count / channelCount
        guard frames > 0 else { return 0 }
        let plain = samples
        var ramp = gain
        let bytes = samples.withUnsafeMutableBufferPointer { buffer in
            ramp.apply(to: buffer)
            return pcm.encoding.bytes(of: UnsafeBufferPointer(buffer), noise: &noise)
        }
        let taken = try pcm.write(bytes, frames: frames)
        if taken == frames {
            gain = ramp
        } else {
            // The ramp goes on after the frames that the device has taken.
            var part = Array(plain.prefix(taken * channelCount))
            ramp = gain
            part.withUnsafeMutableBufferPointer { ramp.apply(to: $0) }
            gain = ramp
        }
        pending = plain.suffix((frames - taken) * channelCount) + pending
        recent += plain.prefix(taken * channelCount)
        let excess = recent.count - pcm.bufferFrames * channelCount
        if excess > 0 { recent.removeFirst(excess) }
        next += Int64(taken)
        return taken
    }
}
