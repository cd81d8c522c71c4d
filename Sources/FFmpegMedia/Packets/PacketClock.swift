import CFFmpeg

/// Computes the position of each packet on the timeline: the position of the packet's first sample, in frames at the decoder's sample rate. Position
/// 0 of the timeline is the first sample of the original recording. Samples that the encoder added before the recording have negative positions.
struct PacketClock {
    /// The way in which `PacketClock` determines the positions of packets.
    enum Basis {
        /// The container's timestamps determine the positions of packets, because the timestamps count samples exactly.
        case timestamps
        /// Each packet itself states its position, as FLAC frames do.
        case packets
        /// The samples are counted from a packet of known position, because the container's timestamps are too coarse or absent.
        case counting
    }
    private(set) var basis: Basis
    private let timeBase: AVRational
    private let sampleRate: Int64
    /// The raw position (the position by the container's timestamps, in frames) of position 0 on the timeline.
    private(set) var origin: Int64
    /// The position of a packet by the container's timestamp minus the position that the packet itself states, in frames; nil if it is unknown.
    private(set) var shift: Int64?
    /// The position of the next packet on the timeline; nil if it is unknown.
    private(set) var next: Int64?
    /// The end of the last packet on the timeline, or the position of the last packet if its end is unknown; nil after a seek. The next packet's
    /// timestamp is compared with the end of the last packet.
    private var last: Int64?
    /// The sum of the unexplained jumps of packets' timestamps within the stream, in frames, which is subtracted from later timestamps.
    private var drift: Int64 = 0
    /// The length of the last packet, in frames, if the positions of packets are determined by counting.
    private var length: Int64 = 0
    /// The raw position at which the next packet should begin, if packets are counted; nil if it is unknown.
    private var due: Int64?
    /// Whether a rounded timestamp was found: its difference from the end of the preceding packet is too small to be a gap in the audio.
    private(set) var isRounded = false

    /// The largest jump between two packets' timestamps, in seconds, that counts as a gap in the audio. A jump of more than 60 seconds between two
    /// packets' timestamps is an error in the timestamps.
    private static let largestGap: Int64 = 60

    init(basis: Basis, timeBase: AVRational, sampleRate: Int) {
        self.basis = basis
        self.timeBase = timeBase
        self.sampleRate = Int64(sampleRate)
        origin = 0
    }

    /// Whether each tick of the container's time base is a whole number of samples, so that timestamps can state positions exactly.
    var isExact: Bool { timeBase.den > 0 && (sampleRate * Int64(timeBase.num)) % Int64(timeBase.den) == 0 }

    /// The largest distance of a packet's position from 0, in frames: a timestamp beyond this distance is caused by damage. The largest distance from
    /// position 0 is far within 64 bits, so that sums of positions cannot overflow.
    static let furthest: Int64 = 1 << 53

    /// Returns the raw position of a timestamp (before `origin` is subtracted), in frames; nil if it is beyond `furthest`.
    func raw(_ timestamp: Int64) -> Int64? {
        let position = av_rescale_q_rnd(timestamp, timeBase, AVRational(num: 1, den: Int32(clamping: sampleRate)), AV_ROUND_NEAR_INF)
        return position.magnitude <= PacketClock.furthest.magnitude ? position : nil
    }

    /// Returns the last timestamp at or before the frame `position`, in the container's time base.
    func timestamp(at position: Int64) -> Int64 {
        let (raw, overflow) = position.addingReportingOverflow(origin)
        return av_rescale_q_rnd(overflow ? position : raw, AVRational(num: 1, den: Int32(clamping: sampleRate)), timeBase, AV_ROUND_DOWN)
    }

    /// Sets the raw position that is position 0 of the timeline, after the first packet and the samples to trim from it are known.
    mutating func setOrigin(_ raw: Int64) { origin = raw }

    /// Sets `shift` to the difference of two positions of `packet`: the position by the container's timestamp, and the position `own` that the packet
    /// itself states.
    mutating func align(_ packet: UnsafePointer<AVPacket>, own: Int64?) {
        guard basis == .packets, let own, packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = raw(packet.pointee.pts) else { return }
        shift = stamped - own
    }

    /// Returns the position of `packet` on the timeline; nil if the position is unknown. Also advances the clock to the end of `packet`. Sets
    /// `isRounded` if the packet's timestamp differs from the counted position only by rounding. The packet follows the preceding packet unless
    /// `jump` was called. `samples` is the length of the packet in frames, if known; `own` is the position that the packet itself states.
    mutating func place(_ packet: UnsafePointer<AVPacket>, samples: Int64?, own: Int64? = nil) -> Int64? {
        var position = next
        if let raw = rawPosition(of: packet, own: own) {
            let stamped = raw &- origin
            if let expected = next ?? last, (stamped &- drift &- expected).magnitude > (PacketClock.largestGap * sampleRate).magnitude {
                drift = stamped &- expected
            }
            position = stamped &- drift
            if let next, let samples, ends(stamped &- drift, packet.pointee.duration, at: next &+ samples) {
                position = next
            } else if basis == .timestamps, let next, next != stamped &- drift, isRounding(stamped &- drift &- next) {
                position = next
                isRounded = true
            }
        }
        guard let position, position.magnitude <= PacketClock.furthest.magnitude else { return nil }
        next = samples.map { position &+ $0 }
        last = next ?? position
        if basis == .counting {
            let stamped = packet.pointee.pts == CFFmpeg_noTimestamp() ? due : raw(packet.pointee.pts)
            due = samples.flatMap { count in stamped.map { $0 + count } }
            length = samples ?? 0
        }
        return position
    }

    /// Returns whether rounding alone can explain a difference of `frames` between a timestamp and a counted position: the difference is at most 2
    /// ms, because containers round timestamps to about a millisecond.
    func isRounding(_ frames: Int64) -> Bool { frames.magnitude <= (sampleRate / 500).magnitude }

    /// Determines the positions of packets by counting samples, from now on.
    mutating func countPackets() { basis = .counting }

    /// Returns whether a packet at `position` whose duration is `duration` ticks ends at the position `end`.
    ///
    /// FFmpeg computes the timestamp of a Vorbis packet backwards from the end of its Ogg page, and assumes that the Vorbis block before the packet
    /// is short. If the block of Vorbis before a packet was long, the packet's timestamp is too late by as much as its duration is too short, and
    /// only the end of the packet is right.
    private func ends(_ position: Int64, _ duration: Int64, at end: Int64) -> Bool {
        guard basis == .timestamps, duration > 0, position.magnitude <= PacketClock.furthest.magnitude else { return false }
        return raw(duration).map { position + $0 == end } ?? false
    }

    /// Adds `samples` lost samples to the position of the next packet.
    mutating func skip(_ samples: Int64) {
        guard samples > 0, let next, next + samples <= PacketClock.furthest else { return }
        self.next = next + samples
    }

    /// A gap in the timestamps between two packets: its length in frames, the length of the packet before the gap in frames, and the position by
    /// the container's timestamps (the raw position, in frames) at which the packet after the gap should have begun.
    struct Gap {
        var frames: Int64
        let packet: Int64
        let due: Int64
    }

    /// Returns the gap in the audio before `packet` by the packet's timestamp, if packets are counted; nil if there is no gap. A difference of less
    /// than 50 ms between two packets, or of less than half a packet, is not a gap, because containers round timestamps to about a millisecond, and
    /// some programs write files with an unsteady clock. If `isDamaged` is true (bytes are missing too), a difference of more than 5 ms is a gap.
    func gap(before packet: UnsafePointer<AVPacket>, isDamaged: Bool) -> Gap? {
        guard basis == .counting, let due, length > 0, packet.pointee.pts != CFFmpeg_noTimestamp() else { return nil }
        guard let stamped = raw(packet.pointee.pts) else { return nil }
        let frames = stamped - due
        let least = isDamaged ? sampleRate / 200 : max(sampleRate / 20, length / 2)
        guard frames > least, frames <= PacketClock.largestGap * sampleRate else { return nil }
        return Gap(frames: frames, packet: length, due: due)
    }

    /// Returns whether the packets after a gap confirm the gap, because their timestamps are late too. `least` is the smallest number of missing
    /// frames that the timestamps of the following packets show. The durations of packets are as coarse as timestamps, so a difference of up to 20 ms
    /// between `least` and the gap's length does not count.
    func isLasting(_ gap: Gap, least: Int64) -> Bool { least > gap.frames - sampleRate / 50 }

    /// Rounds the length of a gap between packets to whole packets, if the difference is within the rounding of timestamps.
    func rounded(_ gap: Gap) -> Gap {
        var whole = gap
        whole.frames = (gap.frames + gap.packet / 2) / gap.packet * gap.packet
        return whole.frames > 0 && abs(whole.frames - gap.frames) <= sampleRate / 500 ? whole : gap
    }

    /// Discards the position at which the next packet should begin by the timestamps, because the length of the last packet does not determine it.
    mutating func discardDue() { due = nil }

    /// Returns the raw position of `packet` by its timestamp, or by the position `own` that the packet itself states; nil if the packet has neither,
    /// or if packets are counted.
    func rawPosition(of packet: UnsafePointer<AVPacket>, own: Int64?) -> Int64? {
        switch basis {
        case .timestamps: packet.pointee.pts == CFFmpeg_noTimestamp() ? nil : raw(packet.pointee.pts)
        case .packets: own.map { aligned($0, packet) }
        case .counting: nil
        }
    }

    /// Converts the position `own` that a packet itself states to the container's timeline. The packets of joined streams count from 0 again, so in
    /// joined streams only the packet's timestamp is right.
    private func aligned(_ own: Int64, _ packet: UnsafePointer<AVPacket>) -> Int64 {
        guard let shift else { return own }
        guard packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = raw(packet.pointee.pts) else { return own + shift }
        // The timestamps of packets may be rounded to about a millisecond, so a difference of up to 20 ms between a timestamp and a stated position
        // does not count.
        return abs(stamped - own - shift) > sampleRate / 50 ? stamped : own + shift
    }

    /// Makes the next packet begin at `position`, the end of the last packet.
    mutating func resume(at position: Int64) {
        next = position
        last = position
    }

    /// Sets the position of the next packet, if this position is not known yet.
    mutating func assume(next position: Int64?) {
        if next == nil { next = position }
    }

    /// Resets the clock of packets after a seek: the next packet is at `position`, or at an unknown position if `position` is nil.
    mutating func jump(to position: Int64? = nil) {
        due = nil
        next = position
        last = position
        drift = 0
    }

    /// Resets the clock of packets after a seek to a packet that has already been read. The packet begins at `position` and ends at `end`; nil if its
    /// end is unknown.
    mutating func jump(to position: Int64, end: Int64?) {
        jump(to: position)
        next = end
    }
}

/// Numbers that are computed from what a file or server states, which may have any value.
extension Int64 {
    /// Limits a number to ±`PacketClock.furthest`, so that the sum of a few such numbers cannot overflow; NaN becomes 0.
    init(bounded value: Double) {
        let limit = Double(PacketClock.furthest)
        self = value.isNaN ? 0 : Int64(Swift.max(-limit, Swift.min(limit, value)))
    }
}
