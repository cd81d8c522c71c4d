/// The open sink, and its events. Owned by the engine's thread.
final class OutputDevice {
    /// An event of a sink, and the number of the opening of that sink. Events of a closed sink are ignored.
    struct Event: Sendable {
        let opening: Int
        let event: AudioSinkEvent
    }

    /// The open sink, nil if there is none.
    private(set) var sink: (any AudioSink)?
    /// The number of the present opening, and that of the last attempt to open a sink.
    private var opening = 0
    private var lastOpening = 0
    private let events: Mailbox<Event>
    private let clock: PlaybackClock
    private let wake: @Sendable () -> Void

    /// - Parameters:
    ///   - clock: the clock that receives each sink after it was opened.
    ///   - wake: called on the sink's thread if there are events or the ring has free capacity.
    init(clock: PlaybackClock, wake: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.wake = wake
        events = Mailbox(wake: wake)
    }

    /// Opens a sink in the stopped state, and then closes the former sink. After an error the former sink remains open.
    ///
    /// - Parameter base: the number of the first frame that the sink takes from `source`.
    func open(_ candidate: any AudioSink, _ format: AudioFormat, source: RenderSource, base: Int64) throws(PlaybackError) {
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

    /// Closes the sink. Idempotent.
    func close() {
        sink?.close()
        sink = nil
        clock.publish(sink: nil)
    }

    /// Returns the events of sinks since the last call.
    func takeEvents() -> [Event] { events.takeAll() }
    /// Whether an event was sent by the sink that is open now.
    func isCurrent(_ event: Event) -> Bool { event.opening == opening }
}
