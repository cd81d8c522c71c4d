import CFFmpeg
import Glibc
import PlaybackEngine

/// The medium as one unbroken run of samples at its own rate: frame 0 is the first of the original recording, and frame n is the same frame
/// however it was reached.
///
/// What makes it so: each packet has a place (`PacketClock`), each decoded frame carries its packet's place, and what is delivered is cut to
/// fit: earlier samples are dropped, missing ones are silence.
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
    /// What is known of the length.
    var duration: MediaDuration = .unknown
    /// Frames that the encoder put before the recording, and behind it, as far as known.
    private(set) var delay = 0
    private(set) var padding = 0
    /// No sample at or behind this position is delivered, where the container says so.
    var limit: Int64?
    /// Corrupt packets skipped so far, those before a seek's target not counted.
    var skippedPackets: Int { lostPackets + (demuxer.isIncomplete ? 1 : 0) }
    var lostPackets = 0

    /// Packets read while opening, to be decoded first.
    var queued: [PacketHandleBox]
    /// How many packets have been read since the very first, where they were read in a row from there.
    var ordinal: Int?
    /// The decoded frame in hand: its position, and the part of it not yet delivered.
    private var frame: (position: Int64, first: Int, end: Int)?
    /// Where the next frame lies if it says nothing of its own.
    var decodedEnd: Int64?
    /// Silence is due up to here.
    private var silenceEnd: Int64 = .min
    /// The demuxer has no more; the decoder is being emptied.
    private var isDraining = false
    /// Nothing more comes.
    private(set) var isAtEnd = false
    var adapter: FrameAdapter?
    /// Where the last packet's bytes end, if its container tells.
    var lastByte: Int64?
    /// What is missing between two packets shows in their timestamps.
    private lazy var showsMissing = clock.basis == .counting && (isRounded || ContainerTraits.statesTimes(demuxer))
    /// The container's timestamps look as if they counted samples, and have been rounded elsewhere.
    private(set) var isRounded = false
    /// A call ended in an error half-way: where the demuxer is, nobody knows.
    var isLost = false
    /// The present positions rest on an estimate: nothing is learnt from them.
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

    /// Finds where the first sample of the original recording lies.
    private func setOrigin() {
        let skip = Int64(start.skippedSamples)
        guard clock.basis != .counting, let first = queued.first?.raw else {
            clock.setOrigin(skip)
            firstPosition = -skip
            return clock.jumped(to: -skip)
        }
        // Edits are in the container's time, and a part of a stream keeps the numbers that it had in the whole.
        if demuxer.name == "mov" { clock.align(first, own: meter.position(of: first)) }
        guard let raw = clock.stamp(first, own: meter.position(of: first)) else {
            firstPosition = -skip
            return clock.jumped(to: -skip)
        }
        if let window = demuxer.window, let origin = clock.raw(window.origin) {
            // A recording of something live begins at any time; a track may begin late in a movie, but not by much.
            let isLate = raw - origin > 10 * Int64(format.sampleRate)
            clock.setOrigin(isLate ? raw : origin)
        } else {
            clock.setOrigin(skip > 0 ? raw + skip : max(0, raw))
        }
        firstPosition = raw - clock.origin
    }
    /// The place of the first packet of all.
    private(set) var firstPosition: Int64 = 0

    // MARK: Delivering

    /// Writes up to `capacity` frames from `position` on; returns how many. 0 only at the end.
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
        // What lies behind is not heard, and not read.
        if done > 0, let limit, position == limit { learnLength(limit) }
        return done
    }

    /// Counts packets that are missing without having failed: their places are empty. Where packets are counted there are no such places.
    private func noteHole(_ frames: Int64) {
        // A track may begin late.
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

    /// The furthest place that sound, or silence for damage, is known to reach.
    private var known: Int64 = .min

    /// Puts the next frame in hand; false at the end.
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
            // Silence that is due is delivered before more is decoded: a long damaged stretch does not hold the caller up.
            if silenceEnd > position { return true }
        }
    }

    /// Reads the next packet and gives it its place in `packetPosition`; false at the end.
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
        // In MP4 the last sample's duration is what of it is heard; others may be rounded.
        if demuxer.name == "mov", let samples, clock.isExact {
            if let heard = clock.raw(packet.raw.pointee.duration), heard > 0, heard < samples, try isLast() { packetPadding = samples - heard }
        }
        if clock.basis == .counting, !isEstimated, let packetPosition, meter.standsAlone(packet.raw, measuring: measured) {
            index.add(packet.raw, at: packetPosition)
        }
        return true
    }
    /// Frames that the packet in hand decodes to, nil where only decoding tells.
    func measuredSamples() -> Int64? {
        if let samples = meter.samples(in: packet.raw) { return samples }
        let duration = packet.raw.pointee.duration
        guard duration > 0, clock.isExact, let samples = clock.raw(duration) else { return nil }
        // A packet that claims to be longer than this is damaged.
        return samples < 1 << 32 ? samples : nil
    }

    var packetPosition: Int64?
    var packetEnd: Int64?
    /// Frames at the end of the packet in hand that do not belong to the recording.
    private var packetPadding: Int64 = 0

    /// Sends the packet in hand to the decoder.
    func decodePacket() throws(PlaybackError) {
        packet.raw.pointee.pts = packetPosition ?? CFFmpeg_noTimestamp()
        packet.raw.pointee.dts = packet.raw.pointee.pts
        if try decoder.send(packet.raw) { return }
        guard let other = try TrueAudioLength.decoder(taking: packet.raw, of: demuxer) else { return packetFailed() }
        decoder = other
    }

    /// Accounts for frames that were damaged beyond recognition before the packet in hand.
    private func passLost() {
        clock.skip(meter.gap)
        guard let next = clock.next, next > position else { return }
        lostPackets += Int(clamping: max(1, meter.gap / Int64(max(1, start.frameSize))))
    }

    private func packetFailed() {
        guard let packetEnd else {
            lostPackets += 1
            // Nobody knows how long it should have lasted: no time.
            if clock.next == nil { clock.next = packetPosition }
            return
        }
        guard packetEnd > position else { return }
        lostPackets += 1
        known = max(known, packetEnd)
        silenceEnd = max(silenceEnd, min(packetEnd, limit ?? packetEnd))
    }

    /// Takes the decoder's frame in hand, unless all of it lies before `position`.
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

    /// Nothing follows: the place that was asked for lies behind the last packet.
    func markEnd() {
        isAtEnd = true
        // A decoder that gives more when it is emptied does not let packets be added up.
        let isDelayed = decoder.context.pointee.codec.pointee.capabilities & AV_CODEC_CAP_DELAY != 0
        if let end = packetEnd, !isDelayed { learnLength(max(end - packetPadding, known)) }
        fillUp()
    }

    private func finish() {
        isAtEnd = true
        learnLength(max(decodedEnd ?? known, known))
        fillUp()
    }

    /// A damaged medium may end sooner than it did when it was entered elsewhere: silence stands for what is missing, so that its length stays what it is.
    private func fillUp() {
        if known > position { silenceEnd = max(silenceEnd, min(known, limit ?? known)) }
    }

    /// Notes where the medium ends, now that it is certain (R-EOI-08).
    private func learnLength(_ end: Int64) {
        guard end > .min, !isEstimated else { return }
        let frames = max(0, min(end, limit ?? end))
        if frames != length { duration = .exact(frames: frames, sampleRate: format.sampleRate) }
    }

    /// Starts decoding as if nothing had been decoded before.
    func renewDecoder() throws(PlaybackError) { decoder = try Decoder(demuxer.decoder, parameters: demuxer.parameters) }

    /// Forgets what is in hand, so that reading goes on from another packet, or with the next one, to `target`.
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
