import Platform
import PlaybackEngine

/// The controller of the server's health, its clock and its contract (openapi.yaml).
struct ServiceController: Sendable {
    let clock: any HostClock
    let wallClock: any WallClock
    let readiness: @Sendable () -> String?
    let contract: StaticFiles.File

    func health(_ request: RouteRequest) throws(Problem) -> Route.Outcome { .now(Self.ok) }

    func ready(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        if let reason = readiness() { throw Problem(.notReady, reason) }
        return .now(Self.ok)
    }

    func clock(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .now(
            .json(
                JSONWriter.object { writer in
                    writer.member("hostTime", clock.now.seconds)
                    writer.member("date", RFC3339.text(wallClock.secondsSince1970))
                }))
    }

    func contract(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .now(WebController.response(contract, request.request.method, request.fields))
    }

    private static let ok = HTTPResponse.json(JSONWriter.object { $0.member("status", "ok") })
}
