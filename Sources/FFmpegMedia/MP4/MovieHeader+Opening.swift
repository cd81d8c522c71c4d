import PlaybackEngine

extension MovieHeader {
    /// Checks whether the tables can be true in a file of this size, because FFmpeg trusts them. Nil only if FFmpeg's context is closed.
    /// - Parameter threshold: From so many samples on, an audio track's tables are read without FFmpeg.
    static func read(_ io: IOContext, _ source: HeadSource, threshold: Int64) throws(PlaybackError) -> MovieHeader? {
        var header: MovieHeader
        if source.isSeekable {
            guard let raw = io.raw else { return nil }
            header = MovieHeader(raw, requests: IndexRequests(io))
            try header.findSamples(io, threshold: threshold)
        } else {
            // FFmpeg can read the header again, because `source` keeps the first bytes.
            let offset = source.offset, ahead = try IOContext(source, interrupt: io.interrupt, goesBack: true)
            try source.seek(to: 0)
            guard let raw = ahead.raw else { return nil }
            header = MovieHeader(raw, isSequential: true)
            if let failure = ahead.failure { throw failure }
            ahead.close()
            try source.seek(to: offset)
            if !header.isPresent, !header.isWhole {
                throw PlaybackError(.notSeekable, "The medium's header follows its audio, and its server does not support seeking.")
            }
        }
        if io.interrupt.isRaised { throw .cancelled }
        if let failure = io.failure { throw failure }
        // Holes of a sparse file do not count; a server's stated length does, because FFmpeg builds an index only after the table has arrived.
        let length = source.presentStoredLength ?? source.length
        guard header.isWhole, header.fits(length, known: source.knownLength) else { throw .tooManySamples }
        return header
    }
}
