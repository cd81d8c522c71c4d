extension EventHub {
    /// Refuses a change that is based on another state than the present one. `field`: the value of `If-Match`, nil where there is none.
    ///
    /// Nothing else comes in between this and what the caller does next, where the caller is on the main actor: whoever comes from elsewhere leaves the
    /// actor when this returns.
    func requireMatch(_ field: String?) async throws(Problem) {
        guard let field else { return }
        let snapshot = await settledSnapshot()
        guard EntityTag.matchNames(field, snapshot.entityTag) else {
            throw Problem(.preconditionFailed, "Read the state again and repeat the change.")
        }
    }
}
