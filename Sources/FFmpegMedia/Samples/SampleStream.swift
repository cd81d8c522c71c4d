import CFFmpeg
import Glibc
import PlaybackEngine

/// The medium as one continuous run of samples at its own rate. Frame 0 is the first of the original recording, and frame n is the same frame after
/// every seek.
///
/// Each packet has a position (`PacketClock`), and each decoded frame carries the position of its packet. Delivery cuts the frames to fit: earlier
/// samples are discarded, and missing samples are silence.
final class SampleStream: SampleSource {
    let demuxer: Demuxer
    private(set) var decoder: Decoder
    let format: AudioFormat
    let traits: CodecTraits
    let meter: PacketMeter
    let start: StreamStart
    var clock: PacketClock
    var index: SeekIndex
    let packet: PacketHandle

    /// The position of the next frame to be delivered.
    var position: Int64 = 0
    /// The length, as far as it is known.
    var duration: MediaDuration = .unknown
    /// Frames that the encoder added before the recording (`delay`) and after it (`padding`), as far as known.
    private(set) var delay = 0
    private(set) var padding = 0
    /// The position at which delivery ends, if the container states it.
    var limit: Int64?
    /// Corrupt packets skipped so far, without those before a seek's target.
    var skippedPackets: Int { lostPackets + (demuxer.isIncomplete ? 1 : 0) }
    var lostPackets = 0

    /// Packets read during opening, which are decoded first.
    var queued: [PacketHandleBox]
    /// Packets read in succession since the first one of the stream; nil after a jump.
    var ordinal: Int?
    /// The current decoded frame: its position, and the range of its samples that is used.
    private var frame: (position: Int64, first: Int, end: Int)?
    /// The position of the next decoded frame, if it has no timestamp of its own.
    var decodedEnd: Int64?
    /// The position up to which silence is delivered.
    private var silenceEnd: Int64 = .min
    /// Whether the demuxer has no more packets and the decoder is being drained.
    private var isDraining = false
    /// Whether no more frames will be decoded.
    private(set) var isAtEnd = false
    var adapter: FrameAdapter?
    /// The byte offset after the last packet, if the container states offsets.
    var lastByte: Int64?
    /// Whether timestamps show that packets are missing.
    private lazy var showsMissing = clock.basis == .counting && (isRounded || ContainerTraits.statesTimes(demuxer))
    /// Whether the container's timestamps look like counts of samples, but were rounded by another container.
    private(set) var isRounded = false
    /// Whether a call failed half-way, which leaves the demuxer's position unknown.
    var isLost = false
    /// Whether the current positions are estimated. If so, the index and the length learn nothing from them.
    var isEstimated = false

    init(_ demuxer: Demuxer, start: StreamStart) throws(PlaybackError) {
        self.demuxer = demuxer
        self.start = start
        packet = try PacketHandle()
        decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters)
        format = start.format
        traits = start.traits
        meter = PacketMeter(
            demuxer.parameters, sampleRate: format.sampleRate, firstFrame: start.frameSize, firstPacket: start.packetSize,
            meanFrameSize: demuxer.name == "mp3" || demuxer.name == "ac3" ? start.meanFrameSize(demuxer.xing) : nil)
        let basis = ContainerTraits.basis(demuxer, meter, sampleRate: format.sampleRate)
        clock = PacketClock(basis: basis, timeBase: demuxer.stream.pointee.time_base, sampleRate: format.sampleRate)
        index = SeekIndex(distance: Int64(format.sampleRate) / 2)
        queued = start.packets
        ordinal = 0
        setOrigin()
        if try hasRoundedTimes() {
            isRounded = true
            clock.count()
            clock.jumped(to: firstPosition)
        }
        delay = demuxer.window.flatMap { clock.raw($0.origin) }.map { Int(clamping: max(0, $0)) } ?? start.skippedSamples
        let length = DurationReader(self)
        duration = length.duration
        limit = length.limit
        padding = length.padding
    }

    /// Sets the clock's origin to the first sample of the original recording.
    private func setOrigin() {
        let skip = Int64(start.skippedSamples)
        guard clock.basis != .counting, let first = queued.first?.raw else {
            clock.setOrigin(skip)
            firstPosition = -skip
            return clock.jumped(to: -skip)
        }
        // Edits are in the container's time, but packets that were cut from a longer stream keep their sample numbers.
        if demuxer.name == "mov" { clock.align(first, own: meter.position(of: first)) }
        guard let raw = clock.stamp(first, own: meter.position(of: first)) else {
            firstPosition = -skip
            return clock.jumped(to: -skip)
        }
        if let window = demuxer.window, let origin = clock.raw(window.origin) {
            // A track may begin up to 10 s late in a movie. A later timestamp is the start of a live recording.
            let isLate = raw - origin > 10 * Int64(format.sampleRate)
            clock.setOrigin(isLate ? raw : origin)
        } else {
            clock.setOrigin(skip > 0 ? raw + skip : max(0, raw))
        }
        firstPosition = raw - clock.origin
    }
    /// The position of the stream's first packet.
    private(set) var firstPosition: Int64 = 0

    // MARK: Delivering

    /// Writes up to `capacity` frames from `position` on, and returns their number, 0 only at the end.
    func fill(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        if isLost, isSeekable { _ = try seek(to: position, before: 0, after: 0) }
        do throws(PlaybackError) { return try deliver(output, capacity: capacity) } catch {
            isLost = true
            throw error
        }
    }

    private func deliver(_ output: UnsafeMutablePointer<Float>, capacity: Int) throws(PlaybackError) -> Int {
        var done = 0
        let channels = format.channelCount
        while done < capacity {
            if let limit, position >= limit { break }
            let room = min(Int64(capacity - done), (limit ?? .max) - position)
            if silenceEnd > position {
                let count = Int(min(room, silenceEnd - position))
                (output + done * channels).update(repeating: 0, count: count * channels)
                position += Int64(count)
                done += count
            } else if let current = frame {
                let offset = position - current.position
                if offset < 0 {
                    noteHole(-offset)
                    silenceEnd = current.position
                } else if offset >= Int64(current.end) {
                    frame = nil
                } else {
                    let count = Int(min(room, Int64(current.end) - offset))
                    convert(first: Int(offset), count: count, into: output + done * channels)
                    position += Int64(count)
                    done += count
                }
            } else if try !decodeFrame() {
                break
            }
        }
        // The recording ends here: later packets are not read.
        if done > 0, let limit, position == limit { learnLength(limit) }
        return done
    }

    /// Counts packets that are missing without an error, so that their positions are empty. If packets are counted, there are no such positions.
    private func noteHole(_ frames: Int64) {
        // Before the first packet nothing is missing: a track may begin late.
        if clock.basis != .counting, position > 0, 2 * frames >= Int64(start.frameSize) { lostPackets += 1 }
    }

    private func convert(first: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        if let adapter, adapter.isActive {
            adapter.copy(first: first, count: count, into: output)
        } else {
            SampleConverter.convert(decoder.frame, first: first, count: count, channels: format.channelCount, into: output)
        }
    }

    // MARK: Decoding

    /// The furthest position that is known to hold audio, or silence in place of damaged audio.
    private var known: Int64 = .min

    /// Decodes the next frame into `frame`, or returns early if silence is due; false at the end.
    func decodeFrame() throws(PlaybackError) -> Bool {
        while true {
            if isAtEnd { return false }
            switch try decoder.receive() {
            case .frame:
                if try takeFrame() { return true }
            case .corrupt: packetFailed()
            case .end:
                finish()
                return silenceEnd > position
            case .needsPacket:
                if isDraining {
                    finish()
                    return silenceEnd > position
                }
                if try nextPacket() {
                    try decodePacket()
                } else {
                    isDraining = true
                    _ = try decoder.send(nil)
                }
            }
            // Due silence is delivered before more is decoded, so that a long damaged stretch does not block the caller.
            if silenceEnd > position { return true }
        }
    }

    /// Reads the next packet and sets its position, `packetPosition`; false at the end.
    func nextPacket() throws(PlaybackError) -> Bool {
        if queued.isEmpty {
            guard try demuxer.read(into: packet.raw) else { return false }
        } else {
            queued.removeFirst().move(to: packet.raw)
        }
        let measured = measuredSamples()
        var samples = measured
        let number = ordinal ?? .max, isLeading = number < start.leadingSamples.count
        if isLeading { samples = start.leadingSamples[number] }
        if ordinal != nil { ordinal = number + 1 }
        if clock.next == nil, let decodedEnd { clock.next = decodedEnd }
        if meter.gap > 0 { passLost() }
        if showsMissing { try passMissing() }
        packetPosition = clock.place(packet.raw, samples: samples, own: meter.position(of: packet.raw))
        if isLeading { clock.forgetDue() }
        packetEnd = samples.flatMap { count in packetPosition.map { $0 + count } }
        packetPadding = ContainerTraits.trimsPackets(demuxer, limit: limit) ? Int64(SkipSamples(packet.raw)?.end ?? 0) : 0
        // In MP4 the last packet's duration states how much of it is played. Durations of other packets may be rounded.
        if demuxer.name == "mov", let samples, clock.isExact {
            if let heard = clock.raw(packet.raw.pointee.duration), heard > 0, heard < samples, try isLast() { packetPadding = samples - heard }
        }
        if clock.basis == .counting, !isEstimated, let packetPosition, meter.standsAlone(packet.raw, measuring: measured) {
            index.add(packet.raw, at: packetPosition)
        }
        return true
    }
    /// Returns the frames that the current packet decodes to; nil if only decoding shows it.
    func measuredSamples() -> Int64? {
        if let samples = meter.samples(in: packet.raw) { return samples }
        let duration = packet.raw.pointee.duration
        guard duration > 0, clock.isExact, let samples = clock.raw(duration) else { return nil }
        // A packet that claims 2³² samples or more is damaged.
        return samples < 1 << 32 ? samples : nil
    }

    var packetPosition: Int64?
    var packetEnd: Int64?
    /// Frames at the end of the current packet that do not belong to the recording.
    private var packetPadding: Int64 = 0

    /// Sends the current packet to the decoder.
    func decodePacket() throws(PlaybackError) {
        packet.raw.pointee.pts = packetPosition ?? CFFmpeg_noTimestamp()
        packet.raw.pointee.dts = packet.raw.pointee.pts
        if try decoder.send(packet.raw) { return }
        guard let other = try TrueAudioLength.decoder(taking: packet.raw, of: demuxer) else { return packetFailed() }
        decoder = other
    }

    /// Accounts for frames before the current packet that were too damaged to be recognised.
    private func passLost() {
        clock.skip(meter.gap)
        guard let next = clock.next, next > position else { return }
        lostPackets += Int(clamping: max(1, meter.gap / Int64(max(1, start.frameSize))))
    }

    private func packetFailed() {
        guard let packetEnd else {
            lostPackets += 1
            // Its length is unknown, so it takes no time.
            if clock.next == nil { clock.next = packetPosition }
            return
        }
        guard packetEnd > position else { return }
        lostPackets += 1
        known = max(known, packetEnd)
        silenceEnd = max(silenceEnd, min(packetEnd, limit ?? packetEnd))
    }

    /// Makes the decoder's frame the current one; false if all of it lies before `position`.
    private func takeFrame() throws(PlaybackError) -> Bool {
        let raw = decoder.frame
        var count = Int(raw.pointee.nb_samples)
        let stamp = raw.pointee.pts
        let isPlaced = stamp != CFFmpeg_noTimestamp() && stamp.magnitude <= 2 * PacketClock.furthest.magnitude
        let place = isPlaced ? stamp : decodedEnd ?? min(position, PacketClock.furthest)
        if demuxer.name == "mov" {
            if let packetPosition, place >= packetPosition, let packetEnd {
                count = max(0, min(count, Int(clamping: packetEnd - packetPadding - place)))
            }
        } else if ContainerTraits.trimsPackets(demuxer, limit: limit), let skip = SkipSamples(UnsafePointer(raw)) {
            count = max(0, count - skip.end)
        }
        if adapter != nil || !FrameAdapter.isEqual(raw, format) {
            if adapter == nil { adapter = FrameAdapter(format) }
            count = try adapter?.adapt(raw, count: count) ?? 0
        }
        decodedEnd = place + Int64(count)
        known = max(known, place + Int64(count))
        guard place + Int64(count) > position else { return false }
        frame = (place, 0, count)
        return true
    }

    /// Ends the stream because the requested position is after the last packet.
    func markEnd() {
        isAtEnd = true
        // If the decoder delays its output, the lengths of packets do not add up to the end.
        let isDelayed = decoder.context.pointee.codec.pointee.capabilities & AV_CODEC_CAP_DELAY != 0
        if let end = packetEnd, !isDelayed { learnLength(max(end - packetPadding, known)) }
        fillUp()
    }

    private func finish() {
        isAtEnd = true
        learnLength(max(decodedEnd ?? known, known))
        fillUp()
    }

    /// A damaged medium may end earlier than it did after another seek. Silence replaces what is missing, so that the length stays the same.
    private func fillUp() {
        if known > position { silenceEnd = max(silenceEnd, min(known, limit ?? known)) }
    }

    /// Sets the exact duration, after the end has become certain (R-EOI-08).
    private func learnLength(_ end: Int64) {
        guard end > .min, !isEstimated else { return }
        let frames = max(0, min(end, limit ?? end))
        if frames != length { duration = .exact(frames: frames, sampleRate: format.sampleRate) }
    }

    /// Replaces the decoder, so that nothing decoded before has an effect.
    func renewDecoder() throws(PlaybackError) { decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters) }

    /// Discards the packets and frames in transit before reading continues towards `target`, from another packet or (`fromNextPacket`) the next one.
    func restart(at target: Int64, fromNextPacket: Bool = false) {
        decoder.flush()
        adapter?.reset()
        if !fromNextPacket { meter.reset() }
        queued.removeAll()
        frame = nil
        decodedEnd = nil
        silenceEnd = .min
        isDraining = false
        isAtEnd = false
        ordinal = nil
        lastByte = nil
        packetPosition = nil
        packetEnd = nil
        packetPadding = 0
        position = target
    }
}
