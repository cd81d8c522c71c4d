/// The opening of a media source. It may block for long, so it runs on a thread of its own.
package struct Opening: Sendable {
    /// The kind of a media source. Opens of one kind never wait for opens of the other.
    package enum Kind: Sendable, Hashable {
        case file
        case remote
    }

    package let kind: Kind
    /// The interrupt of the open. It is raised if the item is no longer needed.
    let interrupt: Interrupt
    private let open: @Sendable () -> Result<any AudioReader, PlaybackError>
    private let answer: @Sendable (OpenedReader) -> Void

    init(
        _ source: MediaSource, interrupt: Interrupt, opener: any MediaOpener, answer: @escaping @Sendable (OpenedReader) -> Void
    ) {
        kind = if case .file = source.location { .file } else { .remote }
        self.interrupt = interrupt
        open = {
            do throws(PlaybackError) { return .success(try opener.open(source, interrupt: interrupt)) } catch { return .failure(error) }
        }
        self.answer = answer
    }

    /// Opens the source, unless the interrupt is raised, and passes the outcome to `answer`. Blocks. Any thread may call it.
    package func run() {
        if interrupt.isRaised { return refuse(PlaybackError(.cancelled, "The operation was cancelled.")) }
        answer(OpenedReader(open(), interrupt: interrupt))
    }

    /// Passes an error to `answer` without opening the source.
    func refuse(_ error: PlaybackError) { answer(OpenedReader(.failure(error), interrupt: interrupt)) }
}
