import CFFmpeg
import PlaybackEngine

/// The sampling of remote MPEG audio and ADTS without a table (R-SEEK-25).
extension PacketTimeline {
    /// Begins the sampling. Does nothing if the medium is not remote, if a tag states its length, or if it is so short that it is transferred soon.
    func beginSampling() {
        let source = demuxer.io.source
        guard source.isRemote, source.isSeekable, clock.basis == .counting, demuxer.traits.isFrameStream, let length = source.length else { return }
        if let tag = demuxer.xing, tag.isAboutWholeFile, tag.frames != nil { return }
        let first = max(0, start.first.byte)
        knowledge.setSampling(RateSampling(first..<max(first, length), isADTS: demuxer.traits.container == .adts, frameSize: start.frameSize))
        requestWindows()
    }

    /// Requests the windows of the sampling that have not arrived: they may have been given up.
    func requestWindows() {
        guard let sampling = knowledge.sampling else { return }
        let windows = sampling.windows
        if !windows.isEmpty { demuxer.io.source.requestExcerpts(windows) { sampling.examine($0) } }
    }

    /// Returns the estimated length of the stream, in frames, if a round of the sampling is complete since the last call; otherwise nil.
    func sampledLength() -> Int64? { knowledge.takeSampled().map { $0.frames + firstPosition } }

    /// Corrects the estimated positions by the last round of the sampling: they are counted from the last exact position before the landing. Returns
    /// the number of frames that was added to them; nil if that would be less than a second, or if nothing is estimated.
    func estimateAgain() -> Int64? {
        guard isEstimated, let estimate = knowledge.sampled, let landing = knowledge.landing, let position = span.position else { return nil }
        let known = index.neighbours(ofByte: landing.byte).last ?? first
        guard known.byte >= 0, packet.pointee.pos >= landing.byte else { return nil }
        let frames = known.position + estimate.position(of: packet.pointee.pos) - estimate.position(of: known.byte) - position
        guard abs(frames) >= Int64(start.format.sampleRate) else { return nil }
        moveEstimates(by: frames)
        return frames
    }
}
