import CFFmpeg

/// Gives each packet its place on the timeline: the position of its first sample, in frames at the decoder's rate, 0 being the first sample
/// of the original recording (what the encoder put before it lies below 0).
struct PacketClock {
    /// What positions are taken from.
    enum Basis {
        /// The container's timestamps count samples exactly.
        case timestamps
        /// Each packet says where it lies.
        case packets
        /// Timestamps are too coarse or absent: packets are counted from one whose place is known.
        case counting
    }
    private(set) var basis: Basis
    private let timeBase: AVRational
    private let sampleRate: Int64
    /// The raw position that is 0 on the timeline.
    private(set) var origin: Int64
    /// Where the container's timeline has what packets that say where they lie call 0.
    private(set) var shift: Int64?
    /// The position of the packet that follows the last one, where it is known.
    var next: Int64?
    /// The last packet's place, and its end where that is known: what a timestamp is measured against.
    private var last: Int64?
    /// Where timestamps jump in mid-stream without reason, they are taken to go on from here.
    private var drift: Int64 = 0
    /// Where packets are counted: how long the last one was, and the raw position at which by its timestamp the next one is due.
    private var length: Int64 = 0
    private var due: Int64?
    /// A timestamp has been found that is rounded: it lies beside the end of the packet before by less than can be meant.
    private(set) var isRounded = false

    /// Jumps of timestamps beyond this many seconds are no gap in the sound but a fault of the timestamps.
    private static let largestGap: Int64 = 60

    init(basis: Basis, timeBase: AVRational, sampleRate: Int) {
        self.basis = basis
        self.timeBase = timeBase
        self.sampleRate = Int64(sampleRate)
        origin = 0
    }

    /// Whether each tick of the container's time base is a whole number of samples.
    var isExact: Bool { timeBase.den > 0 && (sampleRate * Int64(timeBase.num)) % Int64(timeBase.den) == 0 }

    /// No position of a recording is further from 0 than this: beyond it a timestamp is damage. So far within 64 bits, sums need no care.
    static let furthest: Int64 = 1 << 53

    /// A timestamp's raw position, before the origin is taken off; nil where no recording reaches.
    func raw(_ timestamp: Int64) -> Int64? {
        let position = av_rescale_q_rnd(timestamp, timeBase, AVRational(num: 1, den: Int32(clamping: sampleRate)), AV_ROUND_NEAR_INF)
        return position.magnitude <= PacketClock.furthest.magnitude ? position : nil
    }

    /// The timestamp at or before a position.
    func timestamp(at position: Int64) -> Int64 {
        let (raw, overflow) = position.addingReportingOverflow(origin)
        return av_rescale_q_rnd(overflow ? position : raw, AVRational(num: 1, den: Int32(clamping: sampleRate)), timeBase, AV_ROUND_DOWN)
    }

    /// Sets where 0 is, once the first packet and what is to be trimmed from it are known.
    mutating func setOrigin(_ raw: Int64) { origin = raw }

    /// Has packets' own places be counted from where the container has them: `packet` lies at `own` by itself, and elsewhere by its timestamp.
    mutating func align(_ packet: UnsafePointer<AVPacket>, own: Int64?) {
        guard basis == .packets, let own, packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = raw(packet.pointee.pts) else { return }
        shift = stamped - own
    }

    /// The place of `packet`, which follows the one placed before unless `jumped` was called; nil where nothing tells it.
    mutating func place(_ packet: UnsafePointer<AVPacket>, samples: Int64?, own: Int64? = nil) -> Int64? {
        var position = next
        if let stamp = stamp(packet, own: own) {
            let stamped = stamp &- origin
            if let expected = next ?? last, (stamped &- drift &- expected).magnitude > (PacketClock.largestGap * sampleRate).magnitude {
                drift = stamped &- expected
            }
            position = stamped &- drift
            if let next, let samples, leads(stamped &- drift, packet.pointee.duration, to: next &+ samples) {
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

    /// Whether so many frames between two packets are what other containers round timestamps by (to a millisecond), and no gap in the sound.
    func isRounding(_ frames: Int64) -> Bool { frames.magnitude <= (sampleRate / 500).magnitude }

    /// From now on packets are counted.
    mutating func count() { basis = .counting }

    /// Whether a packet at `position` that is `duration` ticks long ends at `end`.
    ///
    /// FFmpeg reckons the timestamp of a Vorbis packet back from the end of its page, and takes the block before it for a short one: where that was
    /// a long one, the timestamp is as much too late as the duration is too short, and only the end is right.
    private func leads(_ position: Int64, _ duration: Int64, to end: Int64) -> Bool {
        guard basis == .timestamps, duration > 0, position.magnitude <= PacketClock.furthest.magnitude else { return false }
        return raw(duration).map { position + $0 == end } ?? false
    }

    /// Leaves out a stretch that has been lost before the next packet.
    mutating func skip(_ samples: Int64) {
        guard samples > 0, let next, next + samples <= PacketClock.furthest else { return }
        self.next = next + samples
    }

    /// Frames that timestamps leave out between two packets: how many, how long the packet before was, and when the next one was due.
    struct Gap {
        var frames: Int64
        let packet: Int64
        let due: Int64
    }

    /// What is missing before `packet` by its timestamp, where packets are counted. Containers round to a millisecond or so, and some writers
    /// take the time from a clock that trembles: less than 50 ms, or than half a packet, says nothing, unless bytes are missing too.
    func gap(before packet: UnsafePointer<AVPacket>, isDamaged: Bool) -> Gap? {
        guard basis == .counting, let due, length > 0, packet.pointee.pts != CFFmpeg_noTimestamp() else { return nil }
        guard let stamped = raw(packet.pointee.pts) else { return nil }
        let frames = stamped - due
        let least = isDamaged ? sampleRate / 200 : max(sampleRate / 20, length / 2)
        guard frames > least, frames <= PacketClock.largestGap * sampleRate else { return nil }
        return Gap(frames: frames, packet: length, due: due)
    }

    /// The same as whole packets, where it is that but for what timestamps are rounded by.
    func rounded(_ gap: Gap) -> Gap {
        var whole = gap
        whole.frames = (gap.frames + gap.packet / 2) / gap.packet * gap.packet
        return whole.frames > 0 && abs(whole.frames - gap.frames) <= sampleRate / 500 ? whole : gap
    }

    /// The last packet's length says nothing of when the next one is due.
    mutating func forgetDue() { due = nil }

    /// The raw position that `packet` has by itself.
    func stamp(_ packet: UnsafePointer<AVPacket>, own: Int64?) -> Int64? {
        switch basis {
        case .timestamps: packet.pointee.pts == CFFmpeg_noTimestamp() ? nil : raw(packet.pointee.pts)
        case .packets: own.map { aligned($0, packet) }
        case .counting: nil
        }
    }

    /// A packet's own place on the container's timeline, where that is another. Streams that were joined number anew: there the timestamp alone is right.
    private func aligned(_ own: Int64, _ packet: UnsafePointer<AVPacket>) -> Int64 {
        guard let shift else { return own }
        guard packet.pointee.pts != CFFmpeg_noTimestamp(), let stamped = raw(packet.pointee.pts) else { return own + shift }
        // Timestamps may be rounded to a millisecond or so.
        return abs(stamped - own - shift) > sampleRate / 50 ? stamped : own + shift
    }

    /// Goes on behind the last packet, whose end is `position`.
    mutating func goOn(from position: Int64) {
        next = position
        last = position
    }

    /// Forgets the sequence: the next packet is any packet.
    mutating func jumped(to position: Int64? = nil) {
        due = nil
        next = position
        last = position
        drift = 0
    }
}
