extension EventHub {
    /// Rejects a request for a change if its `If-Match` does not name the present state of the player.
    ///
    /// For a caller on the main actor, no other command runs between this check and the caller's next statement. For other callers, commands may run
    /// in between.
    func requireMatch(_ request: RouteRequest) async throws(Problem) {
        guard request.fields.ifMatch != nil else { return }
        let snapshot = await settledSnapshot()
        try request.requireMatch(.player, snapshot.tag)
    }
}
