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
