struct EventController: Sendable {
    let broadcast: EventBroadcast

    func events(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .now(.events(SubscriberStream(broadcast: broadcast, try broadcast.subscription(request))))
    }
}

extension EventBroadcast {
    /// Reads the parameters of an event stream, which are also those of a WebSocket.
    func subscription(_ request: RouteRequest) throws(Problem) -> EventSubscription {
        // An EventSource that reconnects sends the id of its last event in `Last-Event-ID`, and repeats the older id in its unchanged URL.
        var subscription = EventSubscription(lastEventID: request.fields.lastEventID ?? request.target.parameter("lastEventId"))
        if let text = request.target.parameter("types") {
            guard let types = EventTypes(list: text) else {
                throw Problem(
                    .invalidParameter, "\"types\" must be some of \(EventTypes.names.joined(separator: ", ")), each once, separated by commas.",
                    parameter: "types")
            }
            subscription.types = types
        }
        if let text = request.target.parameter("state") {
            guard let form = StateForm.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) }) else {
                throw Problem(.invalidParameter, "\"state\" must be \"whole\" or \"changes\".", parameter: "state")
            }
            subscription.stateForm = form
        }
        let types = subscription.types
        if let seconds = try request.target.number("tick", in: TickInterval.range), types.contains(EventTypes("tick")),
            let interval = TickInterval(seconds: seconds)
        {
            subscription.leases.append(try lease(interval, request))
        }
        if types.contains(EventTypes("buffer")), let lease = lease(.buffer, for: request.request.peer) { subscription.leases.append(lease) }
        return subscription
    }

    private func lease(_ interval: TickInterval, _ request: RouteRequest) throws(Problem) -> WatchLease {
        if let lease = lease(.tick(interval), for: request.request.peer) { return lease }
        throw Problem(
            .tooManyIntervals,
            "All clients together may use at most \(limits.watches) different tick intervals, those of one machine at most "
                + "\(limits.watchesOfAddress).",
            parameter: "tick")
    }
}
