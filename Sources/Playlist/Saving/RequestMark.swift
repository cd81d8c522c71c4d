/// The mark of a request that must not be carried out twice. The mark is saved together with the change that the request makes, so that after a crash
/// the archive has both or neither.
public enum RequestMark {
    /// A function that records that the request under way has changed the player.
    public typealias Record = @Sendable () -> Void

    /// The function for the request of the running task; nil if the request may be carried out again. An implementation of `RemotePlayer` calls this
    /// function when it passes the change to its archive.
    @TaskLocal public static var current: Record?

    /// Carries out a request. The command that `body` performs calls `record` when its change is passed to the archive.
    public static func during<Result, Failure: Error>(
        _ record: @escaping Record, isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result = await $current.withValue(record) { () async -> Swift.Result<Result, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
