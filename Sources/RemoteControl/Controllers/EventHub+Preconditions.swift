extension EventHub {
    /// Rejects a change that is based on another state than the present one.
    ///
    /// If the caller is on the main actor, no other command runs between this check and the caller's next statement. Other callers leave the main
    /// actor when this function returns.
    ///
    /// - Parameter field: The value of the field `If-Match`; nil if the request has no such field.
    func requireMatch(_ field: String?) async throws(Problem) {
        guard let field else { return }
        let snapshot = await settledSnapshot()
        guard EntityTag.matchNames(field, snapshot.entityTag) else {
            throw Problem(.preconditionFailed, "Read the state again and repeat the change.")
        }
    }
}
