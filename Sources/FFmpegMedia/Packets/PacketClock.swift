import CFFmpeg

/// Computes each packet's position on the timeline: that of its first sample, in frames at the decoder's rate. 0 is the first sample of the original
/// recording; samples that the encoder added before it have negative positions.
struct PacketClock {
    /// The source of positions.
    enum Basis {
        /// The container's timestamps, which count samples exactly.
        case timestamps
        /// The position that each packet states itself.
        case packets
        /// Counting from a packet of known position, because timestamps are too coarse or absent.
        case counting
    }
    private(set) var basis: Basis
    private let timeBase: AVRational
    private let sampleRate: Int64
    /// The raw position that is 0 on the timeline.
    private(set) var origin: Int64
    /// The container's position of a packet minus the position that the packet states itself; nil if it is unknown.
    private(set) var shift: Int64?
    /// The position of the packet after the last one; nil if it is unknown.
    private(set) var next: Int64?
    /// The end of the last packet, or its position if the end is unknown: the reference for the next timestamp.
    private var last: Int64?
    /// The sum of unexplained jumps of timestamps in mid-stream, which is subtracted from later timestamps.
    private var drift: Int64 = 0
    /// If packets are counted: the length of the last one, and the raw position at which the next one is due by timestamps.
    private var length: Int64 = 0
    private var due: Int64?
    /// Whether a rounded timestamp was found: it differs from the end of the preceding packet by too little to be a gap.
    private(set) var isRounded = false

    /// The largest jump of timestamps, in seconds, that is a gap in the audio. A larger one is an error in the timestamps.
    private static let largestGap: Int64 = 60

    init(basis: Basis, timeBase: AVRational, sampleRate: Int) {
        self.basis = basis
        self.timeBase = timeBase
        self.sampleRate = Int64(sampleRate)
        origin = 0
    }

    /// Whether each tick of the container's time base is a whole number of samples.
    var isExact: Bool { timeBase.den > 0 && (sampleRate * Int64(timeBase.num)) % Int64(timeBase.den) == 0 }

    /// The largest distance of a position from 0: a timestamp beyond is damage. Far within 64 bits, so that sums cannot overflow.
    static let furthest: Int64 = 1 << 53

    /// Returns a timestamp's raw position, before the origin is subtracted; nil if it is beyond `furthest`.
    func raw(_ timestamp: Int64) -> Int64? {
        let position = av_rescale_q_rnd(timestamp, timeBase, AVRational(num: 1, den: Int32(clamping: sampleRate)), AV_ROUND_NEAR_INF)
        return position.magnitude <= PacketClock.furthest.magnitude ? position : nil
    }

    /// Returns the last timestamp at or before a position.
    func timestamp(at position: Int64) -> Int64 {
        let (raw, overflow) = position.addingReportingOverflow(origin)
        return av_rescale_q_rnd(overflow ? position : raw, AVRational(num: 1, den: Int32(clamping: sampleRate)), timeBase, AV_ROUND_DOWN)
    }

    /// Sets the raw position of 0, after the first packet and what is trimmed from it are known.
    mutating func setOrigin(_ raw: Int64) { origin = raw }

    /// Sets `shift` by `packet`, which states the position `own` itself, while its timestamp states the container's.
    mutating func align(_ packet: UnsafePointer<AVPacket>, own: Int64?) {
        guard basis == .packets, let own, packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = raw(packet.pointee.pts) else { return }
        shift = stamped - own
    }

    /// Returns the position of `packet`, which follows the preceding one unless `jump` was called; nil if it is unknown.
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

    /// Whether a difference of `frames` between two packets is due to timestamps that another container rounded (to a millisecond), and is no gap.
    func isRounding(_ frames: Int64) -> Bool { frames.magnitude <= (sampleRate / 500).magnitude }

    /// Changes the basis to counting.
    mutating func countPackets() { basis = .counting }

    /// Whether a packet at `position` that is `duration` ticks long ends at `end`.
    ///
    /// FFmpeg computes the timestamp of a Vorbis packet backwards from the end of its page, and assumes that the block before it is short. If that
    /// block was long, the timestamp is too late by as much as the duration is too short, and only the end is right.
    private func ends(_ position: Int64, _ duration: Int64, at end: Int64) -> Bool {
        guard basis == .timestamps, duration > 0, position.magnitude <= PacketClock.furthest.magnitude else { return false }
        return raw(duration).map { position + $0 == end } ?? false
    }

    /// Skips samples that were lost before the next packet.
    mutating func skip(_ samples: Int64) {
        guard samples > 0, let next, next + samples <= PacketClock.furthest else { return }
        self.next = next + samples
    }

    /// A gap in the timestamps between two packets: its frames, the length of the packet before it, and the raw position at which the next packet was
    /// due.
    struct Gap {
        var frames: Int64
        let packet: Int64
        let due: Int64
    }

    /// Returns the gap before `packet` by its timestamp, if packets are counted. Containers round to about a millisecond, and some writers use an
    /// unsteady clock: less than 50 ms, or than half a packet, is no gap, unless bytes are missing too.
    func gap(before packet: UnsafePointer<AVPacket>, isDamaged: Bool) -> Gap? {
        guard basis == .counting, let due, length > 0, packet.pointee.pts != CFFmpeg_noTimestamp() else { return nil }
        guard let stamped = raw(packet.pointee.pts) else { return nil }
        let frames = stamped - due
        let least = isDamaged ? sampleRate / 200 : max(sampleRate / 20, length / 2)
        guard frames > least, frames <= PacketClock.largestGap * sampleRate else { return nil }
        return Gap(frames: frames, packet: length, due: due)
    }

    /// Whether a gap remains of which `least` frames are left after some packets. Durations are as coarse as timestamps: a difference of up to 20 ms
    /// does not count.
    func isLasting(_ gap: Gap, least: Int64) -> Bool { least > gap.frames - sampleRate / 50 }

    /// Rounds the gap to whole packets, if the difference is within the rounding of timestamps.
    func rounded(_ gap: Gap) -> Gap {
        var whole = gap
        whole.frames = (gap.frames + gap.packet / 2) / gap.packet * gap.packet
        return whole.frames > 0 && abs(whole.frames - gap.frames) <= sampleRate / 500 ? whole : gap
    }

    /// Discards the time at which the next packet is due, because the last packet's length does not determine it.
    mutating func discardDue() { due = nil }

    /// Returns the raw position of `packet` by its timestamp, or by the position `own` that it states itself; nil if it has neither, or packets are
    /// counted.
    func rawPosition(of packet: UnsafePointer<AVPacket>, own: Int64?) -> Int64? {
        switch basis {
        case .timestamps: packet.pointee.pts == CFFmpeg_noTimestamp() ? nil : raw(packet.pointee.pts)
        case .packets: own.map { aligned($0, packet) }
        case .counting: nil
        }
    }

    /// Maps a position that a packet states to the container's timeline. Joined streams number anew: there only the timestamp is right.
    private func aligned(_ own: Int64, _ packet: UnsafePointer<AVPacket>) -> Int64 {
        guard let shift else { return own }
        guard packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = raw(packet.pointee.pts) else { return own + shift }
        // Timestamps may be rounded to about a millisecond.
        return abs(stamped - own - shift) > sampleRate / 50 ? stamped : own + shift
    }

    /// Continues after the last packet, whose end is `position`.
    mutating func resume(at position: Int64) {
        next = position
        last = position
    }

    /// Sets the position of the next packet, if it is unknown.
    mutating func assume(next position: Int64?) {
        if next == nil { next = position }
    }

    /// Resets the sequence: the next packet is at `position`, or may be any one.
    mutating func jump(to position: Int64? = nil) {
        due = nil
        next = position
        last = position
        drift = 0
    }

    /// Resets the sequence to a packet that has been read, and that ends at `end`; nil if its end is unknown.
    mutating func jump(to position: Int64, end: Int64?) {
        jump(to: position)
        next = end
    }
}
