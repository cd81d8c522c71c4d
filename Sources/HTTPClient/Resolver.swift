import Glibc
import PlaybackEngine

/// Looks up the addresses of a name in the system so that the look-up can be interrupted: the C library's resolver ignores interrupts, and may take a
/// minute.
enum Resolver {
    /// A function that looks up the addresses of a name; it may block for any time.
    typealias Lookup = @Sendable (String) -> Result<[NetworkAddress], PlaybackError>

    /// The look-ups of names in the whole process. A look-up of a name that does not return costs one thread, and any number of look-ups cost at most
    /// eight threads.
    static let calls = DetachedCalls("resolver", limit: 8, crowded: "Too many server names are being resolved.")

    /// Returns all network addresses of the name `host`, in the resolver's order. Blocks until the addresses have arrived, until `interrupt` is
    /// raised, or until `patience` seconds have passed.
    ///
    /// A look-up for which the caller no longer waits (an abandoned look-up) continues alone; its thread and its result are discarded when it ends.
    /// An abandoned look-up keeps its slot (one of the eight permitted look-ups) until it ends. If no slot is free, the next look-up of a name waits
    /// for one, within `patience`. Errors of the look-up: `network`, `cancelled`, and `busy` if no slot for the look-up became free.
    static func resolve(
        _ host: String, interrupt: Interrupt, patience: Double = 30, calls: DetachedCalls = Resolver.calls, lookup: @escaping Lookup = Resolver.system
    ) throws(PlaybackError) -> [NetworkAddress] {
        try calls.run(
            interrupt: interrupt, patience: patience, late: .unresolved
        ) { lookup(host) }.get()
    }

    /// Looks up the addresses of a name with the C library's own resolver.
    static let system: Lookup = { host in
        do throws(PlaybackError) { return .success(try NetworkAddress.resolve(host)) } catch { return .failure(error) }
    }
}

extension PlaybackError {
    /// The error of a look-up that has not ended in time.
    fileprivate static let unresolved = PlaybackError(
        .network, "The server's name could not be resolved in time.", reason: .hostNotFound, underlying: Underlying(errno: ETIMEDOUT))
}
