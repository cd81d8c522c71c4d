/// Starts engines. In production an engine runs on threads; in tests the test steps it.
public protocol EngineHost: Sendable {
    /// Starts an engine. The closure `events` receives each event on the engine's thread, in the order of the events.
    func start(opener: any MediaOpener, outputs: [any OutputProvider], events: @escaping @Sendable (EngineEvent) -> Void) -> any EngineHandle
}
