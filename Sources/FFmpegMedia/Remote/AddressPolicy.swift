import PlaybackEngine

/// The rule for the network addresses from which one medium may be fetched, over all its connections.
///
/// After a medium has been fetched from a public address, it is never fetched from a private network, neither by a redirect nor by a name whose
/// address changes between two connections.
struct AddressPolicy {
    private let allowsPrivate: Bool
    private var wasPublic = false

    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    /// Checks the network addresses of the next connection. Throws `addressNotAllowed` if one of the network addresses is not allowed.
    mutating func admit(_ addresses: [NetworkAddress]) throws(PlaybackError) {
        let isPublic = addresses.allSatisfy(\.isPublic)
        guard isPublic || (allowsPrivate && !wasPublic) else {
            throw PlaybackError(.addressNotAllowed, "Addresses of private networks are not allowed.")
        }
        wasPublic = wasPublic || isPublic
    }
}
