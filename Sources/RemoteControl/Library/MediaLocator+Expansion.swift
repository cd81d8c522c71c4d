import Platform
import PlaybackEngine
import Playlist

/// The folders and playlist files among the URLs of a request.
extension MediaLocator {
    /// Returns the entries of a folder or playlist file on this machine; nil if the URL names neither.
    ///
    /// - Parameters:
    ///   - maximumCount: The largest number of entries.
    ///   - deadline: The time at which the work fails, which all URLs of a request share.
    ///   - client: The client (`HTTPPeer.network`) whose share of the work on folders is used.
    func expand(
        _ url: String, pointer: String, isTrusted: Bool, maximumCount: Int, deadline: HostTime, for client: String
    ) async throws(Problem) -> [EntrySpec]? {
        guard let path = try Self.localPath(url, pointer: pointer), MediaExtension.kind(path.name) != .audio else { return nil }
        let expansion = MediaExpansion(
            library: MediaLibrary(confinement: confinement), clock: clock, deadline: deadline, maximumCount: maximumCount)
        do throws(Problem) {
            let found = try await folders.run(for: client) { () throws(Problem) in try MediaExpansion.media(of: path, with: expansion) }
            guard let found else { return nil }
            var entries: [EntrySpec] = []
            entries.reserveCapacity(found.count)
            for medium in found {
                switch medium {
                case .file(let path, let title): entries.append(try await file(path, title: title, pointer: pointer, keepsUnplayable: true))
                case .remote(let url, let title):
                    entries.append(try await locateEntry(url, title: title, pointer: pointer, isTrusted: isTrusted))
                }
            }
            return entries
        } catch {
            // A missing path is reported by the caller, like every other missing file.
            if error.code == .fileNotFound { return nil }
            var problem = error
            problem.pointer = pointer
            throw problem
        }
    }

    /// Returns the path of a `file:` URL or of an absolute path; nil for another URL.
    private static func localPath(_ url: String, pointer: String) throws(Problem) -> AbsolutePath? {
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        if url.utf8.first == UInt8(ascii: "/") { return try path(url, pointer: pointer) }
        guard let scheme = scheme(of: url), scheme.utf8.elementsEqual("file".utf8) else { return nil }
        return try path(ofFileURL: url, pointer: pointer)
    }
}
