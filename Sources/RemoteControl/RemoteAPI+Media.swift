extension RemoteAPI {
    /// Plays media for the user who started the program: one as `putItem` does, several as `putQueue` with `keepUnplayable`, so that a missing file
    /// does not prevent the others. Returns the reason, in one sentence, why nothing can be played.
    /// - Parameter client: Shown as the origin of the change.
    public func play(_ urls: [String], client: String) async -> String? {
        let head = HTTPRequest(method: "PUT", path: "/", headers: [("Tonearm-Client", client)])
        let request = RouteRequest(
            request: head, fields: RequestFields(head), target: RequestTarget(path: "/", parameters: []), variables: [:])
        do throws(Problem) {
            if urls.count == 1 {
                _ = try await parts.item.load(urls[0], pointer: "", play: true, wait: PlayerController.longestWait, request)
            } else {
                let entries = urls.map { WantedEntry(url: $0, pointer: "") }
                _ = try await parts.queue.replace(with: entries, play: true, keepsUnplayable: true, request)
            }
            return nil
        } catch {
            return error.detail
        }
    }
}
