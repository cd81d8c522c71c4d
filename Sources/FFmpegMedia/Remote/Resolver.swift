import PlaybackEngine

/// Looks up a name's addresses in the system, interruptibly: the C library's resolver ignores interrupts, and may take a minute.
enum Resolver {
    /// Looks up a name; may block for any time.
    typealias Lookup = @Sendable (String) -> Result<[NetworkAddress], PlaybackError>

    /// The look-ups of the whole process: a name that hangs costs one thread, and any number of them cost eight threads.
    static let calls = DetachedCalls("resolver", limit: 8, crowded: "Too many server names are being resolved.")

    /// Returns all addresses of `host`, in the resolver's order. Blocks until they have arrived, `interrupt` is raised, or `patience` seconds have
    /// passed.
    ///
    /// An abandoned look-up continues alone; its thread and its answer are discarded when it ends. Until then it keeps its slot in `calls`. If all
    /// slots are taken, the next look-up waits for one, within its patience. Errors: `network`, `cancelled`, and `busy` if no slot became free.
    static func resolve(
        _ host: String, interrupt: Interrupt, patience: Double = 30, calls: DetachedCalls = Resolver.calls, lookup: @escaping Lookup = Resolver.system
    ) throws(PlaybackError) -> [NetworkAddress] {
        try calls.run(
            interrupt: interrupt, patience: patience, late: PlaybackError(.network, "The server's name could not be resolved in time.")
        ) { lookup(host) }.get()
    }

    /// The C library's own resolver.
    static let system: Lookup = { host in
        do throws(PlaybackError) { return .success(try NetworkAddress.resolve(host)) } catch { return .failure(error) }
    }
}
