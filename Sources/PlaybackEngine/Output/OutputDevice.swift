/// The open sink, and the events that sinks have sent. The engine's thread owns it.
final class OutputDevice {
    /// An event with the number of the call of `open`, because events of closed sinks are ignored.
    struct Event: Sendable {
        let opening: Int
        let event: AudioSinkEvent
    }

    private(set) var sink: (any AudioSink)?
    /// The number of the last call of `open`, which opened the present sink.
    private var opening = 0
    private var lastOpening = 0
    private let events: Mailbox<Event>
    private let clock: HeardClock
    private let wake: @Sendable () -> Void

    /// - Parameter wake: The function that is called on the sink's thread, if it has sent events or the ring has free capacity.
    init(clock: HeardClock, wake: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.wake = wake
        events = Mailbox(wake: wake)
    }

    /// Opens a sink, which is stopped, and closes the former sink afterwards; if the opening fails, the former sink remains open. `base` is the
    /// number of the first frame.
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

    /// Closes the sink, if one is open.
    func close() {
        sink?.close()
        sink = nil
        clock.publish(sink: nil)
    }

    /// The events since the last call.
    func takeEvents() -> [Event] { events.takeAll() }
    /// Whether the sink that is open now has sent the event.
    func isCurrent(_ event: Event) -> Bool { sink != nil && event.opening == opening }
}
