/// The outcome of an open on its way from the opening thread to the feeder's.
///
/// `@unchecked Sendable`: the opening thread lets go of the reader when it posts this, and the feeder alone uses it from then on.
final class OpenedReader: @unchecked Sendable {
    let result: Result<any AudioReader, PlaybackError>
    /// Tells which open it was: each has its own.
    let interrupt: Interrupt
    init(_ result: Result<any AudioReader, PlaybackError>, interrupt: Interrupt) {
        self.result = result
        self.interrupt = interrupt
    }
}
