import CFFmpeg
import PlaybackEngine

/// The audio of a medium as one continuous sequence of samples at its own sample rate. Frame 0 of a stream is the first frame of the original
/// recording, and frame n is the same frame after every seek.
///
/// Each packet of the stream has a position (`PacketTimeline`), and each decoded frame has the position of its packet. When decoded frames are
/// delivered, samples before the next position are discarded, and silence replaces missing samples.
final class SampleStream: SampleSource {
    /// A decoded `AVFrame` of FFmpeg. The first `count` samples of each channel are used.
    private struct Frame {
        let position: Int64
        let count: Int
    }
    private enum Phase {
        case reading
        /// The demuxer has no more packets for the stream, so that the decoder delivers only its last frames.
        case draining
        /// The end of the stream has been reached, so that no more frames will be decoded.
        case ended
    }
    let packets: PacketTimeline
    let format: AudioFormat
    /// The length of the stream that the medium states.
    private(set) var stated: StatedLength
    private var decoder: Decoder
    /// The converter for decoded frames whose format differs from the stream's format; nil until such a frame has been decoded.
    private var adapter: FrameAdapter?
    /// The decoded `AVFrame` that is being delivered; nil if the next one must be decoded first.
    private var frame: Frame?
    private var silence = Silence()

    /// The position of the next frame to deliver, in frames.
    private(set) var position: Int64 = 0
    private(set) var duration: MediaDuration
    /// The end of the last decoded frame on the timeline: the position of the next decoded frame, if that has no timestamp of its own. `decodedEnd`
    /// is nil after a seek.
    private var decodedEnd: Int64?
    /// The number of packets that could not be decoded, and of holes between decoded frames.
    private var damagedPackets = 0
    private var phase = Phase.reading
    /// The walk over the rest of a local file, while its length is not exact; nil before it begins.
    private var aheadWalk: AheadWalk?
    /// Whether a call failed after it had begun to move the demuxer, so that the demuxer's position is unknown.
    private var isLost = false
    /// The log of timed metadata, which receives the byte offset and the media time of each packet; nil if nothing uses it.
    private var timedMetadata: TimedMetadataLog?

    init(_ demuxer: Demuxer, start: StreamStart) throws(PlaybackError) {
        decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters)
        format = start.format
        packets = try PacketTimeline(demuxer, start: start)
        stated = try StatedLength(packets)
        duration = stated.duration
        packets.setLimit(stated.limit)
    }

    var demuxer: Demuxer { packets.demuxer }
    var start: StreamStart { packets.start }
    var isSeekable: Bool { packets.isSeekable }
    var isPositionEstimated: Bool { packets.isEstimated }
    /// The number of corrupt packets that have been skipped so far, without packets before the target of a seek.
    var skippedPackets: Int { packets.lostPackets + damagedPackets + (demuxer.isIncomplete ? 1 : 0) }
    /// The position at which the recording ends and delivery stops. Nil if the container does not state it, or while the positions are estimated,
    /// because an estimated position does not show where the recording ends.
    private var limit: Int64? { packets.isEstimated ? nil : stated.limit }

    // MARK: Delivering

    /// Writes up to `capacity` frames of audio from `position` on, and returns their number; 0 only at the end of the audio.
    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        if isLost, isSeekable { _ = try seek(to: position, before: 0, after: 0, allowsEstimate: packets.isEstimated) }
        do throws(PlaybackError) {
            return try deliver(output, capacity: capacity)
        } catch {
            isLost = true
            throw error
        }
    }

    /// Walks over a portion of the rest of a local file, whose end shows the exact length (R-ASSET-16). Returns whether another portion follows.
    func examine() throws(PlaybackError) -> Bool {
        guard !duration.isExact, phase == .reading, !isLost else { return false }
        if aheadWalk == nil { aheadWalk = packets.aheadWalk() }
        guard let aheadWalk, !aheadWalk.isOver else { return false }
        let end = try aheadWalk.advance(demuxer.io, distance: packets.index.distance) { packets.record($0) }
        if let end { learnLength(end) }
        return !aheadWalk.isOver
    }

    private func deliver(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        var done = 0
        let channels = format.channelCount
        while done < capacity {
            if let limit, position >= limit, try !isBeyond(limit) { break }
            let available = min(Int64(capacity - done), (limit ?? .max) - position)
            if silence.end > position {
                let count = Int(min(available, silence.end - position))
                (output + done * channels).update(repeating: 0, count: count * channels)
                position += Int64(count)
                done += count
            } else if let current = frame {
                let offset = position - current.position
                if offset < 0 {
                    noteHole(-offset)
                    silence.fill(upTo: current.position)
                } else if offset >= Int64(current.count) {
                    frame = nil
                } else {
                    let count = Int(min(available, Int64(current.count) - offset))
                    convert(first: Int(offset), count: count, into: output + done * channels)
                    position += Int64(count)
                    done += count
                }
            } else if try !decodeFrame() {
                break
            }
        }
        // The recording ends at the stated limit, so packets after the limit are not read.
        if done > 0, let limit, position == limit, try !isBeyond(limit) { learnLength(limit) }
        return done
    }

    /// Returns whether the audio is longer than its stated length `limit`, because the file has grown since the opening (R-NET-14), or because its
    /// tag states too few frames. If so, removes the stated limit.
    private func isBeyond(_ limit: Int64) throws(PlaybackError) -> Bool {
        if stated.hasGrown(demuxer) {
            stated.removeLimit()
        } else if phase == .reading, let estimate = try packets.lengthBeyondTag(limit) {
            stated.removeLimit(estimate: estimate)
        } else {
            return false
        }
        packets.setLimit(nil)
        duration = stated.duration
        return true
    }

    /// Counts a hole of `frames` frames between decoded frames, which exists if packets are missing without an error. If the positions of packets are
    /// determined by counting, no hole between decoded frames can occur.
    private func noteHole(_ frames: Int64) {
        // No audio is missing before the first packet of a stream: a track may begin late.
        if packets.clock.basis != .counting, position > 0, 2 * frames >= Int64(start.frameSize) { damagedPackets += 1 }
    }

    private func convert(first: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        if let adapter, adapter.isActive {
            adapter.copy(first: first, count: count, into: output)
        } else {
            SampleConverter.convert(decoder.frame, first: first, count: count, channels: format.channelCount, into: output)
        }
    }

    // MARK: Decoding

    /// Decodes the stream's next `AVFrame`. Returns true also if silence must be delivered first, and false at the end of the stream.
    private func decodeFrame() throws(PlaybackError) -> Bool {
        while true {
            if phase == .ended { return false }
            switch try decoder.receive() {
            case .frame:
                if try takeFrame() { return true }
            case .corrupt: packetFailed()
            case .end:
                finish()
                return silence.end > position
            case .needsPacket:
                if phase == .draining {
                    finish()
                    return silence.end > position
                }
                if try nextPacket() {
                    try decodePacket()
                } else {
                    phase = .draining
                    _ = try decoder.send(nil)
                }
            }
            // Silence for a damaged part is delivered before more packets are decoded, so that a long damaged part does not block the caller.
            if silence.end > position { return true }
        }
    }

    /// Reads the stream's next packet; returns false at the end of the stream.
    private func nextPacket() throws(PlaybackError) -> Bool {
        try packets.advance(decodedEnd: decodedEnd, countingFrom: position)
    }

    func setTimedMetadata(_ log: TimedMetadataLog) { timedMetadata = log }
    func setSeekProgress(_ progress: SeekProgress) { demuxer.io.setSeekProgress(progress) }

    /// Sends the current packet of the stream to the decoder.
    private func decodePacket() throws(PlaybackError) {
        if let timedMetadata, packets.packet.pointee.pos >= 0 {
            // A packet without a position of its own follows the last decoded frame.
            let frame = packets.span.position ?? decodedEnd ?? position
            timedMetadata.reach(byte: packets.packet.pointee.pos, time: Double(max(0, frame)) / Double(format.sampleRate))
        }
        if packets.needsNewDecoder {
            decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters)
            adapter?.reset()
            packets.noteNewDecoder()
        }
        let packet = packets.packet
        // A packet without bytes and without a length is no audio: FFmpeg writes one after the last frame of FLAC in NUT.
        if packet.pointee.size == 0, packets.span.end == nil { return packets.skipUndecoded() }
        packet.pointee.pts = packets.span.position ?? CFFmpeg_noTimestamp()
        packet.pointee.dts = packet.pointee.pts
        if try decoder.send(packet) { return }
        guard let other = try TrueAudioLength.decoder(taking: packet, of: demuxer) else { return packetFailed() }
        decoder = other
    }

    private func packetFailed() {
        guard let end = packets.span.end else {
            damagedPackets += 1
            return packets.skipUndecoded()
        }
        guard end > position else { return }
        damagedPackets += 1
        silence.replace(packetEnd: end, limit: limit)
    }

    /// Makes the decoder's `AVFrame` the current one; returns false if all of its samples are before the next position to deliver.
    private func takeFrame() throws(PlaybackError) -> Bool {
        let raw = decoder.frame
        var count = Int(raw.pointee.nb_samples)
        let stamp = raw.pointee.pts
        let isPlaced = stamp != CFFmpeg_noTimestamp() && stamp.magnitude <= 2 * PacketClock.furthest.magnitude
        let first = isPlaced ? stamp : decodedEnd ?? min(position, PacketClock.furthest)
        if demuxer.traits.container == .mp4 {
            let span = packets.span
            if let packet = span.position, first >= packet, let end = span.end {
                count = max(0, min(count, Int(clamping: end - span.padding - first)))
            }
        } else if packets.trimsPackets, let skip = SkipSamples(UnsafePointer(raw)) {
            count = max(0, count - skip.end)
        }
        if adapter != nil || !FrameAdapter.isEqual(raw, format) {
            if adapter == nil { adapter = FrameAdapter(format) }
            count = try adapter?.adapt(raw, count: count) ?? 0
        }
        let end = first + Int64(count)
        decodedEnd = end
        silence.note(audioUpTo: end)
        packets.noteAudio(upTo: end)
        guard end > position else { return false }
        frame = Frame(position: first, count: count)
        return true
    }

    /// Ends the stream, because the requested position is after the stream's last packet.
    private func markEnd() {
        phase = .ended
        // If the decoder delays its output, the end of the stream cannot be computed from the lengths of packets.
        let isDelayed = decoder.context.pointee.codec.pointee.capabilities & AV_CODEC_CAP_DELAY != 0
        if let end = packets.span.end, !isDelayed { learnLength(max(end - packets.span.padding, silence.knownEnd)) }
        silence.fillEnd(from: position, limit: limit)
    }

    private func finish() {
        phase = .ended
        learnLength(max(decodedEnd ?? silence.knownEnd, silence.knownEnd))
        silence.fillEnd(from: position, limit: limit)
    }

    /// Sets the exact length of the stream, after its end has become certain (R-EOI-08).
    private func learnLength(_ end: Int64) {
        guard end > .min, !packets.isEstimated else { return }
        let frames = max(0, min(end, limit ?? end))
        guard frames != length else { return }
        duration = LengthCheck.possible(.exact(frames: frames, sampleRate: format.sampleRate), in: demuxer.io.source.length)
    }

    // MARK: Seeking

    /// Seeks to the frame `target`, and returns the position of the next frame to deliver, which lies in `target - before ... target + after`.
    func seek(to target: Int64, before: Int64, after: Int64) throws(PlaybackError) -> Int64 {
        try seek(to: target, before: before, after: after, allowsEstimate: false)
    }

    func seek(to target: Int64, before: Int64, after: Int64, allowsEstimate: Bool) throws(PlaybackError) -> Int64 {
        let target = max(0, target)
        if target == position, !isLost, !packets.isEstimated || before > 0 || after > 0 || allowsEstimate { return position }
        guard isSeekable else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
        do throws(PlaybackError) {
            if isLost { demuxer.io.clearFailure() }
            try land(target, before: before, after: after, allowsEstimate: allowsEstimate)
            isLost = false
        } catch {
            isLost = true
            throw error
        }
        return position
    }

    private func land(_ target: Int64, before: Int64 = 0, after: Int64 = 0, allowsEstimate: Bool = false) throws(PlaybackError) {
        // Some codecs must decode everything from the start of the medium. In a forward seek with a codec that needs the whole history, decoding
        // simply continues: nothing is decoded again, and the frames before `target` are discarded.
        if start.traits.preroll == CodecTraits.everything, !isLost, !packets.isEstimated, position <= target { return position = target }
        restart(at: target)
        let request = PacketTimeline.Request(
            target: target, before: before, after: after, duration: duration, isLost: isLost, allowsEstimate: allowsEstimate)
        switch try packets.seek(request) {
        case .packet(let landing):
            position = landing
            try decodePacket()
        case .end: markEnd()
        }
    }

    /// Discards the decoded frames and the decoder's state before reading continues at another packet. `target` becomes the next position to deliver.
    private func restart(at target: Int64) {
        decoder.flush()
        adapter?.reset()
        frame = nil
        decodedEnd = nil
        silence.stop()
        phase = .reading
        position = target
    }

    /// Reads the whole medium once to learn its exact length, then returns to the start (R-ASSET-11). Decodes only if counting is not enough.
    func measure() throws(PlaybackError) {
        guard !duration.isExact, isSeekable else { return }
        restart(at: .max / 4)
        try packets.rewind()
        var count = 0, pacing = WalkPacing()
        while try nextPacket() {
            count += 1
            if let end = packets.span.end {
                packets.noteAudio(upTo: end)
                guard pacing.isDue() else { continue }
                let walk = try packets.walk(before: PacketClock.furthest)
                pacing.note(hasMoved: walk == .moved)
                if walk == .lost {
                    pacing.stop()
                    try packets.rewind()
                }
                continue
            }
            // Only decoding shows the length of the packets from here on. The lengths of the leading packets are known, so they have been counted
            // without decoding; but a decoder that has not received them would lose the frame that continues in this packet. So reading begins again.
            if count > 1, count <= start.leadingSamples.count + 1 {
                restart(at: .max / 4)
                try packets.rewind()
                guard try nextPacket() else { break }
            }
            // Without this, a first frame to which the decoder gives no position would get `position`, which is after all frames.
            decodedEnd = packets.span.position
            try decodePacket()
            // While the length of the medium is measured, `position` is after all frames, so that all decoded frames are discarded.
            while try decodeFrame() {}
            break
        }
        if phase != .ended {
            // Only decoding the last packets shows how many frames are trimmed from the end of the stream, and how many frames the decoder still has.
            try land(max(0, (packets.span.end ?? 1) - 1))
            while try decodeFrame() { position = max(position, decodedEnd ?? position) }
        }
        try land(0)
    }
}

/// The silence that replaces audio of a stream that is missing or could not be decoded.
struct Silence {
    /// The position in the stream up to which silence must be delivered.
    private(set) var end: Int64 = .min
    /// The last position in the stream up to which there is audio, or silence in place of damaged audio.
    private(set) var knownEnd: Int64 = .min

    /// Records that the stream has audio up to `position`.
    mutating func note(audioUpTo position: Int64) { knownEnd = max(knownEnd, position) }

    /// Replaces the audio of a damaged packet by silence, up to `packetEnd`; `limit` is the end of the medium, nil if it is unknown.
    mutating func replace(packetEnd: Int64, limit: Int64?) {
        knownEnd = max(knownEnd, packetEnd)
        end = max(end, min(packetEnd, limit ?? packetEnd))
    }

    /// Makes the silence in place of missing audio last up to the next decoded frame, which is at `position`.
    mutating func fill(upTo position: Int64) { end = position }

    /// Lets the silence last from `position` to `knownEnd`, at most to `limit`: the stated end of the medium, nil if it is unknown. So the medium
    /// always has the same length, even if more of its audio can be decoded after another seek.
    mutating func fillEnd(from position: Int64, limit: Int64?) {
        if knownEnd > position { end = max(end, min(knownEnd, limit ?? knownEnd)) }
    }

    /// Ends the silence in place of damaged audio, after a seek.
    mutating func stop() { end = .min }
}
