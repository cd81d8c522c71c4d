import HTTPClient
public import Platform
public import PlaybackEngine

/// Opens media that FFmpeg can read and the allowlists permit (`DemuxerPolicy`, `DecoderPolicy`). It opens nothing but the given medium: a path
/// always means a file, and a playlist or a container cannot make FFmpeg open anything else.
///
/// Any thread may use `FFmpegOpener`; `open` blocks until the beginning of the medium has been read.
public struct FFmpegOpener: MediaOpener {
    private let note: @Sendable (String) -> Void
    private let folderPicture: @Sendable (_ path: FilePath) -> [UInt8]?
    /// The rule for failed transfers of a medium that a player plays.
    let retryPolicy: RetryPolicy
    private let resampler: Resampler
    /// The smallest number of samples of an MP4 track whose tables are read without FFmpeg. Tests lower it, to compare both ways of reading with
    /// short media.
    var tableThreshold = SampleTables.threshold
    /// The number of bytes without audio after which reading ends. Tests lower it.
    var byteLimit = BudgetedSource.byteLimit

    /// - Parameter note: The callback that receives a sentence about data of a medium that is not used although the medium plays. It is called on the
    ///   thread that opens or reads the medium.
    /// - Parameter folderPicture: The function that returns the bytes of a picture file beside a media file; nil if there is none. It is called on
    ///   the thread that opens the medium, if the media file contains no picture. The limits of a picture inside a medium apply to it too.
    /// - Parameter retryPolicy: The rule for failed transfers of a remote medium with a monitor (`MediaSource.monitor`).
    /// - Parameter resampler: The quality of conversions to the sample rate of the output.
    public init(
        note: @escaping @Sendable (String) -> Void = { _ in }, folderPicture: @escaping @Sendable (_ path: FilePath) -> [UInt8]? = { _ in nil },
        retryPolicy: RetryPolicy = RetryPolicy(), resampler: Resampler = .best
    ) {
        self.note = note
        self.folderPicture = folderPicture
        self.retryPolicy = retryPolicy
        self.resampler = resampler
    }

    /// Opens a medium and reads the facts of `MediaInfo`, for which FFmpeg decodes the first audio. A playlist or a feed is no medium: the error has
    /// its entries (`PlaybackError.list`).
    ///
    /// Errors: `fileNotFound`, `permissionDenied`, `notAFile`, `emptyFile`, `unsupportedFormat`, `noAudio`, `corruptMedia`, `network`,
    /// `unsupportedScheme`, `addressNotAllowed`, `cancelled`, `busy`, `outOfMemory`; `timedOut` if a playlist or a feed takes too long; `notSeekable`
    /// if the medium can only be read with seeks that its server does not support; `unknown`.
    public func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        let address = AnsweringAddress(), time = MonotonicClock().now
        let raw: any ByteSource =
            switch source.location {
            case .file(let path): try FileSource(path: path, followsLinks: source.followsLinks)
            case .remote(let url): try RemoteMedium.open(url, source, retryPolicy: retryPolicy, answering: address, interrupt: interrupt)
            }
        let reader =
            switch try examined(raw, source, answeredBy: raw.isRemote ? address.value : nil, interrupt: interrupt) {
            case .medium(let bytes): try open(bytes, source, interrupt: interrupt)
            case .stream(let playlist, let address): try open(playlist, from: address, requestedAt: time, source, interrupt: interrupt)
            }
        if case .file(let path) = source.location, reader.info.artwork == nil {
            reader.setFolderPicture(folderPicture(path).flatMap { Metadata.artwork($0) })
        }
        if source.monitor != nil, !source.prefersPreciseDuration { reader.allowEstimates() }
        reader.setResampler(resampler)
        if let progress = source.seekProgress { reader.setSeekProgress(progress) }
        if let log = source.timedMetadata { reader.setTimedMetadata(log) }
        return reader
    }

    /// Opens a medium whose content comes from `bytes`; the location in `source` is not used.
    func open(_ bytes: any ByteSource, _ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> FFmpegReader {
        let bytes = BudgetedSource(bytes, interrupt: interrupt, byteLimit: byteLimit)
        let reader = try read(bytes, source, interrupt)
        bytes.finishOpening()
        reader.setSource(bytes)
        return reader
    }

    /// Opens the stream that a playlist of HTTP Live Streaming describes.
    private func open(
        _ playlist: [UInt8], from address: AnsweringAddress.Value, requestedAt time: HostTime, _ source: MediaSource, interrupt: Interrupt
    ) throws(PlaybackError) -> FFmpegReader {
        let opening = HLSOpening(source: source, retryPolicy: retryPolicy, interrupt: interrupt)
        let stream = try opening.open(playlist, from: address, requestedAt: time)
        if source.prefersPreciseDuration { try stream.measure() }
        return FFmpegReader(stream, info: stream.info)
    }

    private func read(_ bytes: any ByteSource, _ source: MediaSource, _ interrupt: Interrupt) throws(PlaybackError) -> FFmpegReader {
        let links = try OggChain.links(bytes)
        if !links.isEmpty {
            let chain = try ChainedStream(bytes, links, interrupt: interrupt)
            return reader(chain, first: chain.first)
        }
        if bytes.isSeekable { try bytes.seek(to: 0) }
        return try bytes.isRemote ? openRemote(bytes, source, interrupt) : reader(demuxer(bytes, interrupt), source)
    }

    private func demuxer(_ bytes: any ByteSource, _ interrupt: Interrupt) throws(PlaybackError) -> Demuxer {
        try Demuxer(bytes, interrupt: interrupt, tableThreshold: tableThreshold, note: note)
    }

    /// Opens a medium on a server. If it is a chained Ogg stream (several complete streams in sequence, its links), one link is read after the other.
    private func openRemote(_ bytes: any ByteSource, _ source: MediaSource, _ interrupt: Interrupt) throws(PlaybackError) -> FFmpegReader {
        let links: OggLinkSource
        if bytes.isSeekable {
            let demuxer = try demuxer(bytes, interrupt)
            var isChained = false
            if demuxer.traits.container == .ogg, let length = bytes.length {
                let offset = bytes.offset
                isChained = try OggChain.isChained(bytes, length: length)
                try bytes.seek(to: offset)
            }
            if !isChained { return try reader(demuxer, source) }
            links = try OggLinkSource(bytes)
        } else {
            links = try OggLinkSource(bytes)
            guard try links.beginsAsOgg() else { return try reader(demuxer(links, interrupt), source) }
        }
        let chain = try StreamedChain(links, of: bytes, interrupt: interrupt)
        if source.prefersPreciseDuration { try chain.measure() }
        return reader(chain, first: chain.first)
    }

    private func reader(_ demuxer: Demuxer, _ source: MediaSource) throws(PlaybackError) -> FFmpegReader {
        let stream = try SampleStream(demuxer, start: StreamStart(demuxer))
        if source.prefersPreciseDuration { try stream.measure() }
        return reader(stream, first: stream)
    }

    private func reader(_ source: any SampleSource, first: SampleStream) -> FFmpegReader {
        var info = MediaInfo(first, duration: source.duration)
        info.isSeekable = source.isSeekable
        if let reason = Metadata.refusedArtwork(first.demuxer.context) { note(reason) }
        first.demuxer.releasePictures()
        return FFmpegReader(source, info: info)
    }
}
