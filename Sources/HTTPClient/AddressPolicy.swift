import PlaybackEngine

/// The rule for the network addresses from which one medium may be fetched, over all its connections.
///
/// After a medium has been fetched from a public address, it is never fetched from a private network, neither by a redirect nor by a name whose
/// address changes between two connections.
struct AddressPolicy {
    private let allowsPrivate: Bool
    /// Whether a public address was reached.
    private(set) var wasPublic = false

    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    /// Checks the network addresses of the next connection. Throws `addressNotAllowed` if one of the network addresses is not allowed.
    mutating func admit(_ addresses: [NetworkAddress]) throws(PlaybackError) {
        try admit(isPublic: addresses.allSatisfy(\.isPublic))
    }

    /// Checks the name or the literal address of a server to which a proxy connects. A name is not looked up, because the proxy looks it up, possibly
    /// with another result. Only literal private addresses and names for local networks count as private; every other name counts as public. So the
    /// proxy's own rules decide to which address such a name leads.
    mutating func admit(host: String) throws(PlaybackError) {
        try admit(isPublic: NetworkAddress(literal: host)?.isPublic ?? HostName(host).isPublic)
    }

    private mutating func admit(isPublic: Bool) throws(PlaybackError) {
        guard isPublic || (allowsPrivate && !wasPublic) else {
            throw .forbiddenAddress
        }
        wasPublic = wasPublic || isPublic
    }
}
