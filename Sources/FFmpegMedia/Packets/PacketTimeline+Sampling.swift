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
        let sampling = RateSampling(
            first..<max(first, length), isADTS: demuxer.traits.container == .adts, sampleRate: start.format.sampleRate)
        guard let sampling else { return }
        knowledge.setSampling(sampling)
        source.requestExcerpts(sampling.windows) { sampling.examine($0) }
    }

    /// The largest distance, in seconds, between audio at estimated positions and the target of a seek that refers to these positions.
    private static let relatedSeconds: Int64 = 60

    /// Returns whether `target` is so close to audio at estimated positions that it refers to these positions: a step of some seconds must move by so
    /// many seconds from the audio that is playing.
    func countsFromEstimates(_ target: Int64) -> Bool {
        guard isEstimated, let near = knowledge.estimate(near: target) else { return false }
        return abs(near.position - target) <= PacketTimeline.relatedSeconds * Int64(start.format.sampleRate)
    }

    /// Returns the estimated length of the stream, in frames, if the sampling has a new estimate since the last call; otherwise nil.
    func sampledLength() -> Int64? { knowledge.takeSampled().map { $0.frames + firstPosition } }

    /// Corrects the estimated positions by the last estimate of the sampling: the estimate gives their distance from the last exact position before
    /// the landing. Returns the number of frames that was added to them; nil if nothing was added. A correction of less than a second is not made.
    func estimateAgain() -> Int64? {
        guard knowledge.needsCorrection, isEstimated, let estimate = knowledge.sampled, let landing = knowledge.landing, let position = span.position
        else { return nil }
        let known = index.neighbours(ofByte: landing.byte).last ?? first
        guard known.byte >= 0, packet.pointee.pos >= landing.byte else { return nil }
        let frames = known.position + estimate.position(of: packet.pointee.pos) - estimate.position(of: known.byte) - position
        guard abs(frames) >= Int64(start.format.sampleRate) else {
            knowledge.noteCorrected()
            return nil
        }
        moveEstimates(by: frames)
        return frames
    }
}
