import Platform
import PlaybackEngine
import Player

/// The controller that answers with the lyrics of items: those of a `.lrc` file beside the medium, and those in the medium's tags.
struct LyricsController: Sendable {
    private enum Source: String, Sendable { case tag, file }

    let player: any RemotePlayer
    let inspector: MediaInspector
    let confinement: PathConfinement
    let files: FileQueue

    func lyrics(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .onMainActor { () throws(Problem) -> HTTPResponse in
            let details = try player.knownDetails(itemID: request.variable("id"))
            let beside = try await besideLyrics(details.source, request)
            // Lyrics with times in a `.lrc` file are used in any case, so the medium is not opened to read its tags.
            if let beside, beside.isSynchronized { return .json(await Self.encoded(beside, .file)) }
            var entries = details.facts?.metadata
            if entries == nil {
                do throws(Problem) { entries = try await inspector.inspect(details.source).metadata } catch { if beside == nil { throw error } }
            }
            let tagged = await Self.tagged(entries ?? [])
            if let tagged, tagged.isSynchronized || beside == nil { return .json(await Self.encoded(tagged, .tag)) }
            guard let beside else { throw Problem(.lyricsNotFound, "The item has no lyrics in its tags, and no .lrc file beside it.") }
            return .json(await Self.encoded(beside, .file))
        }
    }

    private func besideLyrics(_ source: MediaSource, _ request: RouteRequest) async throws(Problem) -> Lyrics? {
        guard case .file(let file) = source.location, let medium = try? AbsolutePath(bytes: file.bytes), let folder = medium.parent
        else { return nil }
        let confinement = confinement
        return try await files.run(for: request.request.peer.network) { () throws(Problem) -> Lyrics? in
            let name = medium.nameBytes
            let base = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == name.startIndex ? nil : name[..<$0] } ?? name[...]
            for ending in [".lrc", ".LRC", ".Lrc"] {
                let path = folder.appending(Array(base) + Array(ending.utf8))
                guard let content = (try? confinement.open(path))?.file.content(sizes: 1...Lyrics.maximumSize) else { continue }
                let lyrics = Lyrics(content)
                if lyrics.hasText { return lyrics }
            }
            return nil
        }
    }

    /// The first lyrics with times among the tags; otherwise the first lyrics. Runs off the main actor, because lyrics may have a megabyte.
    @concurrent private static func tagged(_ entries: [MetadataEntry]) async -> Lyrics? {
        var best: Lyrics?
        for entry in entries {
            guard let language = Self.languagePart(ofKey: entry.key) else { continue }
            var lyrics = Lyrics(Array(entry.value.utf8))
            lyrics.setLanguage(LRCLine.language(language))
            guard lyrics.hasText else { continue }
            if lyrics.isSynchronized { return lyrics }
            best = best ?? lyrics
        }
        return best
    }

    /// The language in the key of a tag: `eng` for `lyrics-eng`, empty if the key names no language. Nil if the tag does not contain lyrics.
    private static func languagePart(ofKey key: String) -> ArraySlice<UInt8>? {
        let parts = key.utf8.map(\.asciiLowercased).split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        let names = ["lyrics", "unsyncedlyrics", "unsynced lyrics", "syncedlyrics", "uslt", "wm/lyrics", "\u{A9}lyr"]
        guard let name = parts.first, names.contains(where: { $0.utf8.elementsEqual(name) }) else { return nil }
        return parts.dropFirst().first ?? []
    }

    /// Encodes lyrics off the main actor, because they may have ten thousand lines.
    @concurrent private static func encoded(_ lyrics: Lyrics, _ source: Source) async -> [UInt8] {
        JSONWriter.object(capacity: 128 + lyrics.lines.count * 64) { writer in
            writer.member("source", source.rawValue)
            writer.member("isSynchronized", lyrics.isSynchronized)
            writer.member("language", ifPresent: lyrics.language)
            writer.member("isTruncated", lyrics.isTruncated)
            writer.member("lines", array: lyrics.lines) { writer, line in
                writer.object { writer in
                    writer.member("time", ifPresent: line.time.map { ($0 * 1e6).rounded() / 1e6 })
                    writer.member("text", String(line.text))
                }
            }
        }
    }
}
