/// Starts engines: on threads in production, stepped by the test in tests.
public protocol EngineHost: Sendable {
    /// `events` is called on the engine's thread, in order.
    func start(opener: any MediaOpener, outputs: [any OutputProvider], events: @escaping @Sendable (EngineEvent) -> Void) -> any EngineHandle
}
