/// The open sink, and the events that sinks have sent. The engine's thread owns it.
final class OutputDevice {
    /// With the number of the call of `open`, because events of closed sinks are ignored.
    struct Event: Sendable {
        let opening: Int
        let event: AudioSinkEvent
    }

    private(set) var sink: (any AudioSink)?
    /// Of the present sink, and of the last call.
    private var opening = 0
    private var lastOpening = 0
    private let events: Mailbox<Event>
    private let clock: PlaybackClock
    private let wake: @Sendable () -> Void

    /// - Parameter wake: Called on the sink's thread, if it has sent events or the ring has free capacity.
    init(clock: PlaybackClock, wake: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.wake = wake
        events = Mailbox(wake: wake)
    }

    /// In the stopped state; closes the former sink afterwards, which remains open if this fails. `base` is the number of the first frame.
    func open(_ candidate: any AudioSink, _ format: AudioFormat, source: RenderRing, base: Int64) throws(PlaybackError) {
        lastOpening += 1
        let number = lastOpening
        do throws(PlaybackError) {
            try candidate.open(format, source: source, base: base) { [events, wake] event in
                if case .consumed = event { wake() } else { events.post(Event(opening: number, event: event)) }
            }
        } catch {
            candidate.close()
            throw error
        }
        opening = number
        if let sink, sink !== candidate { sink.close() }
        sink = candidate
        clock.publish(sink: candidate)
    }

    /// Idempotent.
    func close() {
        sink?.close()
        sink = nil
        clock.publish(sink: nil)
    }

    /// Since the last call.
    func takeEvents() -> [Event] { events.takeAll() }
    /// Sent by the sink that is open now.
    func isCurrent(_ event: Event) -> Bool { sink != nil && event.opening == opening }
}
