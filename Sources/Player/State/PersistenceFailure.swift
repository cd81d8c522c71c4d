/// The reason why the player's state cannot be saved for the next run of the program.
public struct PersistenceFailure: Error, Sendable, Hashable {
    /// The kind of a failure. openapi.yaml lists the codes (`PersistenceErrorCode`).
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The disk with the state directory is full.
        case diskFull
        /// Writing fails for another reason.
        case writeFailed
        /// The database was found to be damaged while the program was running.
        case damaged
        /// Another program uses the state directory.
        case inUse
        /// The state directory or its database could not be used when the program started.
        case unavailable
    }

    public var code: Code
    /// The description of the failure for users, as one sentence.
    public var message: String
    public init(_ code: Code, _ message: String) { self.code = code; self.message = message }
}
