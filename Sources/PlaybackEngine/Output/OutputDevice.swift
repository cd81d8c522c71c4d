/// The open sink (`AudioSink`), and the queue of events that sinks have sent. The engine's thread owns the `OutputDevice`.
final class OutputDevice {
    /// An event of a sink, with the number of the call of `open` that opened the sink. Events of sinks that are closed are ignored.
    struct Event: Sendable {
        let opening: Int
        let event: AudioSinkEvent
    }

    /// The open sink; nil if no sink is open.
    private(set) var sink: (any AudioSink)?
    /// The numbers of two calls of `open`: of the call that opened the present sink (`opening`), and of the last call (`lastOpening`).
    private var opening = 0
    private var lastOpening = 0
    private let events: Mailbox<Event>
    private let clock: PlaybackClock
    private let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - clock: the clock that maps host times to heard frames. `open` passes each opened sink to the clock.
    ///   - wake: the function that wakes the engine, called on the sink's thread if a sink has sent events or the ring has free capacity.
    init(clock: PlaybackClock, wake: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.wake = wake
        events = Mailbox(wake: wake)
    }

    /// Opens a sink in the stopped state, and closes the former sink after that. If the new sink cannot be opened, the former sink remains open.
    ///
    /// - Parameter base: the number of the first frame that the sink takes from `source`.
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

    /// Closes the open sink. `close` is idempotent.
    func close() {
        sink?.close()
        sink = nil
        clock.publish(sink: nil)
    }

    /// Returns the events that sinks have sent since the last call of `takeEvents`.
    func takeEvents() -> [Event] { events.takeAll() }
    /// Whether an event was sent by the sink that is open now; false if no sink is open.
    func isCurrent(_ event: Event) -> Bool { sink != nil && event.opening == opening }
}
