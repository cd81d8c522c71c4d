import CoreMedia
import Synchronization

/// Turns media into sound: takes what the feeder read, renders it at the wanted rate into the ring, keeps the timeline true, and commands the device.
/// A shell around `step()`, which a thread calls in production and the test in tests. Confined to whoever calls `step`.
final class Engine {
    let playbackClock: PlaybackClock
    private(set) lazy var mailbox = Mailbox<EngineCommand>(wake: wake)
    let reading: ReadAhead
    let wake: @Sendable () -> Void
    let emit: (EngineEvent) -> Void
    let makePitch: (PitchAlgorithm, AudioFormat) -> any TimePitch

    // What is wanted.
    let outputs: OutputSelector
    var wantsRunning = false
    private(set) var settings = EngineSettings()
    /// The item of the last load or advance; items joined to it follow.
    var current: ItemID?
    var startTime = CMTime.zero
    var upcoming: [LoadRequest] = []
    /// What is known of the items that were opened, are current or follow.
    let facts = ItemFacts()
    /// The item whose end has been looked at.
    var uncrossed: ItemID?

    // What is.
    let device: OutputDevice
    let output: OutputStage
    var timeline = Timeline()
    var track = Track()
    var renderer: Renderer
    var lastLevel: (ItemID, BufferLevel)?
    /// Whether somebody listens: offline there is time to wait.
    let isForEars: Bool

    init(
        outputs: [any OutputProvider], clock: any HostClock, fadesIn: Bool, feeder: Feeder, notices: Mailbox<FeederNotice>,
        wake: @escaping @Sendable () -> Void,
        wakeFeeder: @escaping () -> Void, makePitch: @escaping (PitchAlgorithm, AudioFormat) -> any TimePitch, emit: @escaping (EngineEvent) -> Void
    ) {
        self.outputs = OutputSelector(outputs)
        isForEars = fadesIn
        reading = ReadAhead(feeder, notices: notices, wakeFeeder: wakeFeeder)
        self.wake = wake
        self.makePitch = makePitch
        self.emit = emit
        playbackClock = PlaybackClock(clock: clock)
        device = OutputDevice(clock: playbackClock, wake: wake)
        output = OutputStage(device: device, clock: playbackClock, fadesIn: fadesIn)
        renderer = Renderer(channelCount: AudioFormat.compactDisc.channelCount)
    }

    /// Does what there is to do; false where nothing is, until something wakes it.
    func step() -> Bool {
        var worked = false
        for command in mailbox.takeAll() {
            handle(command)
            worked = true
        }
        for notice in reading.takeNotices() {
            handle(notice)
            worked = true
        }
        for event in device.takeEvents() where device.isCurrent(event) {
            handle(event.event)
            worked = true
        }
        while let item = reading.takeTruncation() {
            cut(after: item)
            worked = true
        }
        if completeSeek() { worked = true }
        if fill() { worked = true }
        settle()
        if startIfReady() { worked = true }
        reportLevel()
        return worked
    }

    /// Closes the device. Idempotent.
    func close() { output.close() }

    // MARK: Settings

    func configure(_ wanted: EngineSettings) {
        let former = settings
        settings = wanted.bounded(after: former)
        if settings.role != former.role { output.setRole(settings.role) }
        if settings.volume != former.volume || settings.isMuted != former.isMuted {
            output.setVolume(settings.volume, isMuted: settings.isMuted)
        }
        if settings.forwardBuffer != former.forwardBuffer {
            setQueueLimits()
            reading.wake()
        }
        if settings.loudness != former.loudness { loudnessDidChange(from: former.loudness) }
        if settings.rate != former.rate || settings.pitchAlgorithm != former.pitchAlgorithm { rateDidChange(from: former) }
    }

    /// The item that is heard, or is about to be.
    var heardItem: ItemID? { timeline.segments.isEmpty ? current : playbackClock.now().item ?? current }

    /// Forgets all decoded sound and the timeline.
    func clearTrack() {
        track.removeAll()
        reading.clearResumePoint()
        timeline.segments = []
        renderer.reset()
        lastLevel = nil
    }

    func publishTimeline(changed: Bool) {
        timeline.written = output.ring?.writtenFrames ?? timeline.written
        timeline.sampleRate = output.format.sampleRate
        playbackClock.publish(timeline)
        if changed { emit(.timelineChanged) }
    }

    /// Tells the level of the buffer where one of its flags changed.
    private func reportLevel() {
        guard let item = heardItem, facts.isOpen(item), let ring = output.ring else { return }
        let heard = playbackClock.now().frame
        let unheard = Double(max(0, ring.endFrame - heard)) * abs(settings.rate)
        let frames = unheard + Double(track.framesAhead) + Double(reading.waitingFrames)
        let seconds = frames / Double(output.format.sampleRate)
        let isEnded = timeline.segments.last?.reachesEndOfItem == true || track.hasEndAhead
        let enough = 0.25 * max(1, abs(settings.rate))
        let level = BufferLevel(
            seconds: seconds, isEmpty: frames < 1 && !isEnded, isFull: isEnded || reading.isFull, isLikelyToKeepUp: isEnded || seconds >= enough)
        if let last = lastLevel, last.0 == item, last.1.isEmpty == level.isEmpty, last.1.isFull == level.isFull,
            last.1.isLikelyToKeepUp == level.isLikelyToKeepUp
        {
            return
        }
        lastLevel = (item, level)
        emit(.bufferChanged(item, level))
    }
}
