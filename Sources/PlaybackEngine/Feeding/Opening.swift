/// The opening of a media source, which may block for long and so has a thread of its own.
package struct Opening: Sendable {
    /// The kind of medium. The opening of a file never waits for that of a remote medium, and vice versa.
    package enum Kind: Sendable, Hashable {
        case file
        case remote
    }

    package let kind: Kind
    /// The interrupt that is raised if the item is no longer needed.
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

    /// Opens the source, unless the interrupt is raised. Blocks; may be called on any thread.
    package func run() {
        if interrupt.isRaised { return refuse(PlaybackError(.cancelled, "The operation was cancelled.")) }
        answer(OpenedReader(open(), interrupt: interrupt))
    }

    /// Answers with an error, without opening the source.
    func refuse(_ error: PlaybackError) { answer(OpenedReader(.failure(error), interrupt: interrupt)) }
}

/// The outcome of an opening, on its way from the opening thread to the feeder's.
///
/// `@unchecked Sendable`: after it was posted, only the feeder uses the reader.
final class OpenedReader: @unchecked Sendable {
    let result: Result<any AudioReader, PlaybackError>
    /// The interrupt, which identifies the opening.
    let interrupt: Interrupt
    init(_ result: Result<any AudioReader, PlaybackError>, interrupt: Interrupt) {
        self.result = result
        self.interrupt = interrupt
    }
}
