/// The opening of a media source. The opening of a medium may block for long, so it runs on a thread of its own.
package struct Opening: Sendable {
    /// The kind of a media source. The opening of a file never waits for the opening of a remote medium, and vice versa.
    package enum Kind: Sendable, Hashable {
        case file
        case remote
    }

    package let kind: Kind
    /// The interrupt of the opening, which is raised if the item is no longer needed.
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

    /// Opens the media source, unless the interrupt is raised, and passes the outcome to the function `answer`. `run` blocks; any thread may call it.
    package func run() {
        if interrupt.isRaised { return refuse(PlaybackError(.cancelled, "The operation was cancelled.")) }
        answer(OpenedReader(open(), interrupt: interrupt))
    }

    /// Passes an error to the function `answer` without opening the media source.
    func refuse(_ error: PlaybackError) { answer(OpenedReader(.failure(error), interrupt: interrupt)) }
}

/// The outcome of the opening of a medium, on its way from the opening thread to the feeder's thread.
///
/// `@unchecked Sendable`: the opening thread does not use the reader after it has posted the `OpenedReader`. After the posting, only the feeder uses
/// the reader.
final class OpenedReader: @unchecked Sendable {
    let result: Result<any AudioReader, PlaybackError>
    /// The interrupt of the opening, which identifies the opening, because each opening has its own interrupt.
    let interrupt: Interrupt
    init(_ result: Result<any AudioReader, PlaybackError>, interrupt: Interrupt) {
        self.result = result
        self.interrupt = interrupt
    }
}
