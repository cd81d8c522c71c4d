import PlaybackEngine

/// The addresses that one medium may be fetched from, over all its connections.
///
/// A medium that has once led to the public internet never leads back into a private network, neither by a redirect nor by a name whose address
/// changes between two connections.
struct AddressPolicy {
    private let allowsPrivate: Bool
    private var wasPublic = false

    init(allowsPrivate: Bool) { self.allowsPrivate = allowsPrivate }

    /// Checks the addresses of the next connection.
    mutating func admit(_ addresses: [NetworkAddress]) throws(PlaybackError) {
        let isPublic = addresses.allSatisfy(\.isPublic)
        guard isPublic || (allowsPrivate && !wasPublic) else {
            throw PlaybackError(.addressNotAllowed, "Addresses of private networks are not allowed.")
        }
        wasPublic = wasPublic || isPublic
    }
}
