/// An open that is to run on another thread: it may block for long.
package struct Opening: Sendable {
    /// What is waited for. Those of one kind never wait for those of the other.
    package enum Kind: Sendable, Hashable {
        case file
        case remote
    }

    package let kind: Kind
    /// Raised when nobody wants it any more.
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

    /// Opens, unless nobody wants it any more, and answers. Any thread; blocks.
    package func run() {
        if interrupt.isRaised { return refuse(PlaybackError(.cancelled, "The operation was cancelled.")) }
        answer(OpenedReader(open(), interrupt: interrupt))
    }

    /// Answers without having opened.
    func refuse(_ error: PlaybackError) { answer(OpenedReader(.failure(error), interrupt: interrupt)) }
}
