/// The opening of a media source, which may block for long and so has a thread of its own.
package struct Opening: Sendable {
    /// A file never waits for a remote medium, and vice versa.
    package enum Kind: Sendable, Hashable {
        case file
        case remote
    }

    package let kind: Kind
    /// Raised if the item is no longer needed.
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

    /// Blocks; any thread. Not if the interrupt is raised.
    package func run() {
        if interrupt.isRaised { return refuse(PlaybackError(.cancelled, "The operation was cancelled.")) }
        answer(OpenedReader(open(), interrupt: interrupt))
    }

    /// Without opening the source.
    func refuse(_ error: PlaybackError) { answer(OpenedReader(.failure(error), interrupt: interrupt)) }
}

/// On its way from the opening thread to the feeder's.
///
/// `@unchecked Sendable`: after it was posted, only the feeder uses the reader.
final class OpenedReader: @unchecked Sendable {
    let result: Result<any AudioReader, PlaybackError>
    /// Identifies the opening.
    let interrupt: Interrupt
    init(_ result: Result<any AudioReader, PlaybackError>, interrupt: Interrupt) {
        self.result = result
        self.interrupt = interrupt
    }
}
