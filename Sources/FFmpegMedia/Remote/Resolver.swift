import PlaybackEngine

/// Asks the system for a name's addresses, without being held up by it: the C library's resolver knows no interrupt, and may take a minute.
enum Resolver {
    /// Answers a name; may block for as long as it likes.
    typealias Lookup = @Sendable (String) -> Result<[NetworkAddress], PlaybackError>

    /// The look-ups of the whole process: a name that hangs costs one thread, and any number of them eight.
    static let calls = DetachedCalls("resolver", limit: 8, crowded: "Too many look-ups of servers' names are under way.")

    /// All addresses of `host`, in the resolver's order. Blocks until they are there, `interrupt` is raised, or `patience` seconds have passed.
    ///
    /// A lookup that is given up goes on alone; its thread and its answer go when it ends. Until then it keeps its place in `calls`: while all places are
    /// taken, the next lookup waits for one, within its patience. Errors: `network`, `cancelled`, and `busy` where no place became free.
    static func resolve(
        _ host: String, interrupt: Interrupt, patience: Double = 30, calls: DetachedCalls = Resolver.calls, lookup: @escaping Lookup = Resolver.system
    ) throws(PlaybackError) -> [NetworkAddress] {
        try calls.run(
            interrupt: interrupt, patience: patience, late: PlaybackError(.network, "The server's name could not be looked up in time.")
        ) { lookup(host) }.get()
    }

    /// The C library's own.
    static let system: Lookup = { host in
        do throws(PlaybackError) { return .success(try NetworkAddress.resolve(host)) } catch { return .failure(error) }
    }
}
