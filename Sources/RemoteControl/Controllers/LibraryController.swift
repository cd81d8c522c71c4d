/// The controller that lists the media roots and their folders.
struct LibraryController: Sendable {
    let library: MediaLibrary
    let files: FileQueue

    func list(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let given = request.target.parameter("path")
        let client = request.request.peer.network
        guard let given else {
            return .elsewhere { () throws(Problem) -> HTTPResponse in
                try await files.run(for: client) { () throws(Problem) -> HTTPResponse in .json(library.top().json) }
            }
        }
        let path: AbsolutePath
        do throws(AbsolutePath.Fault) { path = try AbsolutePath(given) } catch {
            let tooLong = ProblemCode.tooLong(given, limit: AbsolutePath.maximumLength, otherwise: .invalidParameter)
            throw Problem(error == .notAbsolute ? .invalidParameter : tooLong, error.sentence, parameter: "path")
        }
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            try await files.run(for: client) { () throws(Problem) -> HTTPResponse in
                do throws(Problem) {
                    return .json(try library.list(path).json)
                } catch {
                    var problem = error
                    problem.parameter = "path"
                    throw problem
                }
            }
        }
    }
}
