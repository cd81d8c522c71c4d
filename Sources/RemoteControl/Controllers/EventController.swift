/// The event stream.
struct EventController: Sendable {
    let feed: EventFeed

    func events(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        var lease: TickLease?
        if let seconds = try request.target.number("tick", in: TickInterval.range), let interval = TickInterval(seconds: seconds) {
            lease = feed.lease(interval, for: request.request.peer)
            if lease == nil {
                throw Problem(
                    .tooManyIntervals,
                    "The clients together may ask for at most \(feed.limits.tickIntervals) different tick intervals, those of one machine for "
                        + "\(feed.limits.tickIntervalsOfAddress).",
                    parameter: "tick")
            }
        }
        // When an EventSource connects again it sends the field, and still the address that it was made with.
        let lastEventID = request.fields.lastEventID ?? request.target.parameter("lastEventId")
        return .now(.events(SubscriberStream(feed: feed, lastEventID: lastEventID, lease: lease)))
    }
}
