extension EventHub {
    /// Rejects a change whose request names another state of the player than the present one in `If-Match`.
    ///
    /// If the caller is on the main actor, no other command runs between this check and the caller's next statement. For a caller outside the main
    /// actor, other commands may run in between.
    func requireMatch(_ request: RouteRequest) async throws(Problem) {
        guard request.fields.ifMatch != nil else { return }
        let snapshot = await settledSnapshot()
        try request.requireMatch(.player, snapshot.tag)
    }
}
