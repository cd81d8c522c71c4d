import CFFmpeg
import PlaybackEngine

/// Estimated positions become exact as soon as they can be tied to exact ones (R-SEEK-24).
extension PacketTimeline {
    /// The number of packets after which a walk to the next exact position is tried again.
    private static let pause = 256
    /// The possible average sizes of MPEG audio frames, in bytes.
    private static let meanSizes: ClosedRange<Double> = 24...2881

    /// Makes the estimated positions exact, if all frames between one of them and an exact position have been received, so that counting these frames
    /// needs no request. The current packet must be the packet that was read last. Returns the number of frames that was added to the positions; nil
    /// if they are still estimated.
    ///
    /// - Parameter isAtEnd: Whether no packet follows.
    func tie(isAtEnd: Bool) -> Int64? {
        guard clock.basis == .counting, demuxer.traits.isFrameStream, let landing = knowledge.landing, let run = start.run,
            let position = span.position, let end = span.end, end > position
        else { return nil }
        let samples = end - position
        let frames =
            isAtEnd
            ? walkAfter(run, samples, isAtEnd: true)
            : arrival(position) ?? walkBefore(landing, run, samples) ?? walkAfter(run, samples, isAtEnd: false)
        guard let frames else { return nil }
        becomeExact(by: frames)
        return frames
    }

    /// Returns the number of frames to add to the estimated position of the current packet, if the index has this packet with its exact position;
    /// otherwise nil.
    private func arrival(_ position: Int64) -> Int64? {
        guard let known = index.neighbours(ofByte: packet.pointee.pos).last, SeekIndex.matches(known, packet) else { return nil }
        return known.position - position
    }

    /// Walks from the last frame of exact position before the landing to the landing. Returns the number of frames to add to the estimated positions
    /// after the walk has reached the landing; otherwise nil.
    private func walkBefore(_ landing: SeekIndex.Entry, _ run: FrameRun, _ samples: Int64) -> Int64? {
        if knowledge.ties.before == nil {
            let known = index.neighbours(ofByte: landing.byte).last ?? first
            // The first packets may decode to fewer frames than the others.
            let isLeading = known.position < firstPosition + start.leadingSamples.reduce(0, +)
            guard known.byte >= 0, !isLeading || start.leadingSamples.allSatisfy({ $0 == samples }) else { return nil }
            knowledge.ties.before = TieWalk(run, from: known.byte, position: known.position, to: landing.byte)
        }
        guard let walk = knowledge.ties.before, let count = knowledge.ties.before?.advance(demuxer.io.source) else { return nil }
        return walk.position + count * samples - landing.position
    }

    /// Walks from the current packet to the next frame of exact position, or to the end of the audio, if a tag states the number of frames. Returns
    /// the number of frames to add to the estimated positions after the walk has reached its target; otherwise nil.
    private func walkAfter(_ run: FrameRun, _ samples: Int64, isAtEnd: Bool) -> Int64? {
        if knowledge.ties.after == nil, !isAtEnd { beginWalkAfter(run, samples) }
        var left = isAtEnd ? 4096 : 1
        while left > 0, let walk = knowledge.ties.after, !walk.isOver {
            left -= 1
            guard let count = knowledge.ties.after?.advance(demuxer.io.source) else { continue }
            return knowledge.ties.end - count * samples - walk.position
        }
        if knowledge.ties.after?.isOver == true { (knowledge.ties.after, knowledge.ties.pause) = (nil, PacketTimeline.pause) }
        return nil
    }

    private func beginWalkAfter(_ run: FrameRun, _ samples: Int64) {
        knowledge.ties.pause -= 1
        guard knowledge.ties.pause < 0, let position = span.position, currentRun == run else { return }
        if let next = index.neighbours(ofByte: packet.pointee.pos).next {
            knowledge.ties.after = TieWalk(run, from: packet.pointee.pos, position: position, to: next.byte)
            knowledge.ties.end = next.position
        } else if let stated = statedEnd(samples) {
            knowledge.ties.after = TieWalk(run, from: packet.pointee.pos, position: position, to: stated.byte)
            knowledge.ties.end = stated.position
        }
    }

    /// Returns the byte offset and the position after the last frame, as the tag states them. Returns nil if the tag has no valid checksum, because
    /// it may have been changed since the encoder wrote it, or if the size of the medium or of its frames contradicts the tag.
    private func statedEnd(_ samples: Int64) -> (byte: Int64, position: Int64)? {
        guard let tag = demuxer.xing, tag.isVerified, tag.isAboutWholeFile, let frames = tag.frames, let bytes = tag.bytes,
            let length = demuxer.io.source.length, tag.start + bytes <= length, start.leadingSamples.allSatisfy({ $0 == samples }),
            PacketTimeline.meanSizes.contains(Double(bytes) / Double(frames))
        else { return nil }
        return (tag.start + bytes, firstPosition + frames * samples)
    }
}
