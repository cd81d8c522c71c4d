public import PlaybackEngine

/// Opens everything that FFmpeg opens, and nothing else than it was given: a path is only ever a file, and a playlist or a container cannot
/// make it open anything more.
///
/// Any thread; `open` blocks until the medium's beginning is read.
public struct FFmpegOpener: MediaOpener {
    private let note: @Sendable (String) -> Void

    /// - Parameter note: told, in a sentence, what of a medium is left out while the rest of it plays; on the thread that opens or reads.
    public init(note: @escaping @Sendable (String) -> Void = { _ in }) { self.note = note }

    /// Opens a medium and reads what `MediaInfo` needs, the first sound decoded included.
    ///
    /// Errors: `fileNotFound`, `permissionDenied`, `notAFile`, `emptyFile`, `unsupportedFormat`, `noAudio`, `corruptMedia`, `network`,
    /// `unsupportedScheme`, `addressNotAllowed`, `cancelled`, `outOfMemory`.
    public func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        let bytes: any ByteSource =
            switch source.location {
            case .file(let path): try FileSource(path: path, followsLinks: source.followsLinks)
            case .remote(let url):
                try HTTPSource(
                    url: url, headers: source.httpHeaders, allowsPrivateAddresses: source.allowsPrivateAddresses, meter: source.meter,
                    interrupt: interrupt)
            }
        let links = try OggChain.links(bytes, interrupt: interrupt)
        if !links.isEmpty {
            let chain = try ChainedStream(bytes, links, interrupt: interrupt)
            return reader(chain, first: chain.first)
        }
        if bytes.isSeekable { try bytes.seek(to: 0) }
        let demuxer = try Demuxer(bytes, interrupt: interrupt)
        demuxer.note = note
        let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
        if source.prefersPreciseDuration { try stream.measure() }
        return reader(stream, first: stream)
    }

    private func reader(_ source: any SampleSource, first: SampleStream) -> FFmpegReader {
        let info = MediaInfo(first, duration: source.duration)
        if let size = Metadata.refusedArtwork(first.demuxer.context) {
            note("A picture of \(size) bytes is left out: more than \(Metadata.artworkLimit) are not kept.")
        }
        first.demuxer.releasePictures()
        return FFmpegReader(source, info: info)
    }
}
