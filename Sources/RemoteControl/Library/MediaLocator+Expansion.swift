import Platform
import PlaybackEngine
import Player

/// Replaces the folders and playlist files among the URLs of a request by the entries of their media.
extension MediaLocator {
    /// Finds the media of a URL; nil if it names neither a folder nor a playlist file of this machine. A medium that cannot be used becomes an entry
    /// with a failure.
    ///
    /// - Parameters:
    ///   - keepsUnplayable: Whether it is no error that none of the media can be used.
    ///   - deadline: The time limit, which is the same for all URLs of a request.
    ///   - client: The client whose share of the work on folders is used (`HTTPPeer.network`).
    func expand(
        _ url: String, pointer: String, isTrusted: Bool, keepsUnplayable: Bool, maximumCount: Int, deadline: HostTime, for client: String
    ) async throws(Problem) -> [EntrySpec]? {
        guard let path = try Self.localPath(url, pointer: pointer), MediaExtension.kind(path.nameBytes) != .audio else { return nil }
        let expansion = MediaExpansion(
            library: MediaLibrary(confinement: confinement, order: order), clock: clock, deadline: deadline, maximumCount: maximumCount)
        do throws(Problem) {
            let found = try await folders.run(for: client) { () throws(Problem) in try MediaExpansion.media(of: path, with: expansion) }
            guard let found else { return nil }
            return try await entries(found, isTrusted: isTrusted, keepsUnplayable: keepsUnplayable, deadline: deadline)
        } catch {
            var problem = error
            problem.pointer = pointer
            throw problem
        }
    }

    private func entries(
        _ found: [MediaExpansion.Found], isTrusted: Bool, keepsUnplayable: Bool, deadline: HostTime
    ) async throws(Problem) -> [EntrySpec] {
        var entries: [EntrySpec] = []
        entries.reserveCapacity(found.count)
        var first: Problem?
        var isUsable = false
        for medium in found {
            try MediaExpansion.requireTime(until: deadline, by: clock)
            let (located, problem) = try await entry(medium, isTrusted: isTrusted)
            var spec = located
            spec.listedDuration = medium.duration
            entries.append(spec)
            guard let problem else {
                isUsable = true
                continue
            }
            first = first ?? Self.refusal(problem, of: spec, at: medium.position)
        }
        if !isUsable, !keepsUnplayable, let first { throw first }
        return entries
    }

    /// The greatest length of a URL that is quoted in a problem, in bytes.
    private static let maximumQuote = 256

    /// The problem of a list without usable media, by its first medium. `position` is the line that names it; nil for a file of a folder.
    private static func refusal(_ problem: Problem, of spec: EntrySpec, at position: String?) -> Problem {
        let url = String(decoding: spec.url.utf8.prefix(maximumQuote), as: UTF8.self)
        // The client has sent only the path of the list, so a malformed line is no error of the request's syntax.
        let code: ProblemCode = [.invalidValue, .textTooLong].contains(problem.code) ? .unplayableFile : problem.code
        return Problem(code, "Nothing in the folder or playlist file can be used. \(position ?? "The first file"), \(url): \(problem.detail)")
    }

    private func entry(_ found: MediaExpansion.Found, isTrusted: Bool) async throws(Problem) -> (EntrySpec, Problem?) {
        let title = found.title
        switch found.medium {
        case .file(let path):
            do throws(Problem) {
                let spec = try await file(path, title: title, pointer: "", isTrusted: isTrusted, keepsUnplayable: true)
                return (spec, spec.failure.map { Problem($0.code == .fileNotFound ? .fileNotFound : .unplayableFile, $0.message) })
            } catch {
                return (try Self.unusable(path.url, title, error), error)
            }
        case .remote(let url):
            do throws(Problem) {
                return (try await locate(url, title: title, pointer: "", isTrusted: isTrusted), nil)
            } catch {
                return (try Self.unusable(PlaylistFile.Line(location: url).shownURL, title, error), error)
            }
        case .unusable(let url, let problem): return (try Self.unusable(url, title, problem), problem)
        }
    }

    /// Makes an entry with a failure. No opener knows its scheme, so it uses neither the network nor the file system. Throws `problem` if the line is
    /// not its cause.
    private static func unusable(_ url: String, _ title: String?, _ problem: Problem) throws(Problem) -> EntrySpec {
        let code: PlaybackError.Code
        switch problem.code {
        case .outsideMediaRoots: code = .permissionDenied
        case .unsupportedScheme: code = .unsupportedScheme
        case .invalidValue, .textTooLong: code = .unknown
        default:
            guard let reason = failure(of: problem) else { throw problem }
            code = reason
        }
        let source = MediaSource(.remote(url: "unusable:" + url), allowsPrivateAddresses: false)
        return EntrySpec(source: source, url: url, title: title, failure: PlayerState.Failure(code: code, message: problem.detail))
    }

    /// The path of a URL of this machine; nil for another URL.
    private static func localPath(_ url: String, pointer: String) throws(Problem) -> AbsolutePath? {
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        if url.utf8.first == UInt8(ascii: "/") { return try path(url, pointer: pointer) }
        guard let scheme = scheme(of: url), scheme.utf8.elementsEqual("file".utf8) else { return nil }
        return try path(ofFileURL: url, pointer: pointer)
    }
}
