import CFFmpeg
import Testing

@testable import FFmpegMedia

@Suite("Positions of packets")
struct PacketClockTests {
    private func packet(_ pts: Int64, duration: Int64 = 0) -> AVPacket {
        var packet = AVPacket()
        (packet.pts, packet.duration) = (pts, duration)
        return packet
    }

    /// Returns a clock for audio of 48 kHz. Its timestamps have `ticks` per second: 48,000 count samples, 1,000 count milliseconds.
    private func clock(_ basis: PacketClock.Basis, ticks: Int32 = 48_000) -> PacketClock {
        PacketClock(basis: basis, timeBase: AVRational(num: 1, den: ticks), sampleRate: 48_000)
    }

    // MARK: Timestamps

    @Test("a packet is at its timestamp, counted from the origin")
    func origin() {
        var clock = clock(.timestamps)
        clock.setOrigin(312)
        var first = packet(0), second = packet(1000)
        #expect(clock.place(&first, samples: 1000) == -312)
        #expect(clock.place(&second, samples: 1000) == 688)
        #expect(clock.next == 1688)
    }

    @Test("timestamps convert to the next frame, and positions to the timestamp before them")
    func conversion() {
        var clock = clock(.counting, ticks: 1000)
        #expect(clock.raw(1) == 48 && clock.timestamp(at: 47) == 0 && clock.timestamp(at: 48) == 1)
        clock.setOrigin(48)
        #expect(clock.raw(1) == 48 && clock.timestamp(at: 0) == 1)
        #expect(clock.isExact && !PacketClock(basis: .counting, timeBase: AVRational(num: 1, den: 1000), sampleRate: 44_100).isExact)
    }

    @Test("a jump of the timestamps up to a minute is a gap")
    func jump() {
        var clock = clock(.timestamps), first = packet(0), second = packet(60 * 48_000 + 1000)
        #expect(clock.place(&first, samples: 1000) == 0)
        #expect(clock.place(&second, samples: 1000) == 2_881_000)
        #expect(!clock.isRounded)
    }

    @Test("a larger jump is an error of the timestamps, which is subtracted from all later ones until a seek")
    func drift() {
        var clock = clock(.timestamps), first = packet(0), second = packet(61 * 48_000 + 1000), third = packet(61 * 48_000 + 2100)
        #expect(clock.place(&first, samples: 1000) == 0)
        #expect(clock.place(&second, samples: 1000) == 1000)
        #expect(clock.place(&third, samples: 1000) == 2100)
        clock.jump()
        #expect(clock.place(&third, samples: 1000) == 2_930_100)
    }

    @Test(
        "a timestamp that differs from the last packet's end by up to 2 ms is rounded",
        arguments: [(96, 1000, true), (97, 1097, false)] as [(Int64, Int64, Bool)])
    func rounding(_ difference: Int64, _ position: Int64, _ isRounded: Bool) {
        var clock = clock(.timestamps), first = packet(0), second = packet(1000 + difference)
        #expect(clock.place(&first, samples: 1000) == 0)
        #expect(clock.place(&second, samples: 1000) == position)
        #expect(clock.isRounded == isRounded)
    }

    @Test("a late timestamp with a duration that ends at the right position is FFmpeg's guess for Vorbis, and is ignored")
    func lateTimestamp() {
        var clock = clock(.timestamps), first = packet(0), second = packet(1448, duration: 576)
        #expect(clock.place(&first, samples: 1000) == 0)
        #expect(clock.place(&second, samples: 1024) == 1000)
        #expect(clock.next == 2024 && !clock.isRounded)
    }

    // MARK: Positions in packets

    @Test("positions that packets state are mapped to the container's timeline")
    func alignment() {
        var clock = clock(.packets, ticks: 1000), first = packet(1000), second = packet(1085)
        clock.align(&first, own: 4096)
        #expect(clock.shift == 43_904)
        #expect(clock.rawPosition(of: &second, own: 8192) == 52_096)
        #expect(clock.rawPosition(of: &second, own: nil) == nil)
        // A concatenated stream counts its packets from 0 again. So a position of its own (`own`) is wrong, and the timestamp is used.
        var joined = packet(10_000)
        #expect(clock.rawPosition(of: &joined, own: 0) == 480_000)
    }

    // MARK: Counting

    @Test("counted packets follow each other, whatever their timestamps")
    func counting() {
        var clock = clock(.counting, ticks: 1000), first = packet(0), second = packet(25)
        clock.jump(to: -100)
        #expect(clock.place(&first, samples: 1024) == -100)
        #expect(clock.place(&second, samples: 1024) == 924)
    }

    @Test("after a packet of unknown length the position is unknown, until decoding or a seek shows it")
    func unknownLength() {
        var clock = clock(.counting, ticks: 1000), any = packet(0)
        clock.jump(to: 0)
        clock.assume(next: 77)
        #expect(clock.place(&any, samples: nil) == 0)
        #expect(clock.next == nil)
        #expect(clock.place(&any, samples: 10) == nil)
        clock.assume(next: 3000)
        #expect(clock.place(&any, samples: nil) == 3000)
        clock.resume(at: 5000)
        #expect(clock.place(&any, samples: 10) == 5000)
        clock.jump(to: 200, end: 300)
        #expect(clock.place(&any, samples: 10) == 300)
    }

    @Test(
        "a gap is more than 50 ms, or with damage more than 5 ms, and up to a minute",
        arguments: [(71, false, 2448), (70, false, nil), (26, true, 288), (25, true, nil), (60_020, false, 2_880_000), (60_021, false, nil)]
            as [(Int64, Bool, Int64?)])
    func gap(_ milliseconds: Int64, _ isDamaged: Bool, _ frames: Int64?) {
        var clock = clock(.counting, ticks: 1000), first = packet(0), second = packet(milliseconds)
        clock.jump(to: 0)
        #expect(clock.place(&first, samples: 960) == 0)
        let gap = clock.gap(before: &second, isDamaged: isDamaged)
        #expect(gap?.frames == frames)
        if let gap { #expect(gap.packet == 960 && gap.due == 960) }
    }

    @Test("a gap moves the packets after it")
    func skipping() {
        var clock = clock(.counting, ticks: 1000), first = packet(0), second = packet(100)
        clock.jump(to: 0)
        #expect(clock.place(&first, samples: 960) == 0)
        clock.skip(3840)
        #expect(clock.place(&second, samples: 960) == 4800)
        clock.discardDue()
        var third = packet(1000)
        #expect(clock.gap(before: &third, isDamaged: false) == nil)
    }

    @Test("a gap becomes whole packets if the difference is a rounding of timestamps")
    func wholePackets() {
        let clock = clock(.counting, ticks: 1000)
        for (frames, rounded) in [(3850, 3840), (3744, 3840), (3743, 3743), (4200, 4200), (50, 50)] as [(Int64, Int64)] {
            #expect(clock.rounded(PacketClock.Gap(frames: frames, packet: 960, due: 0)).frames == rounded)
        }
    }

    @Test("a gap lasts if the packets after it make up for less than 20 ms")
    func lasting() {
        let clock = clock(.counting, ticks: 1000), gap = PacketClock.Gap(frames: 4800, packet: 960, due: 0)
        #expect(clock.isLasting(gap, least: 4800) && clock.isLasting(gap, least: 3841) && !clock.isLasting(gap, least: 3840))
    }

    // MARK: Hostile timestamps

    static let distant: [Int64] = [Int64.max, Int64.max - 1, Int64.min + 1, 0x1000_0000_0000_0000, -0x1000_0000_0000_0000, 0x20_0000_0000_0001]

    @Test("a timestamp out of range counts as absent", arguments: PacketClockTests.distant)
    func distantTimestamp(_ stamp: Int64) {
        var clock = PacketClock(basis: .timestamps, timeBase: AVRational(num: 1, den: 48_000), sampleRate: 48_000)
        #expect(clock.raw(stamp) == nil)
        var first = packet(0), second = packet(stamp)
        #expect(clock.place(&first, samples: 1000) == 0)
        #expect(clock.place(&second, samples: 1000) == 1000)
    }

    @Test("a jump to Int64.min is handled like any other")
    func leastNumber() {
        var clock = PacketClock(basis: .packets, timeBase: AVRational(num: 1, den: 48_000), sampleRate: 48_000)
        var any = packet(0)
        clock.jump(to: 0)
        #expect(clock.place(&any, samples: 10, own: .min) == 0)
        #expect(clock.place(&any, samples: 10, own: .min + 10) == 10)
    }

    @Test("timestamps that jump far are ignored, also after a packet of unknown length")
    func jumpAfterUnknownLength() {
        var clock = PacketClock(basis: .timestamps, timeBase: AVRational(num: 1, den: 1000), sampleRate: 1000)
        var first = packet(0), second = packet(1 << 40), third = packet(1 << 40 + 20)
        #expect(clock.place(&first, samples: nil) == 0)
        #expect(clock.place(&second, samples: 20) == 0)
        #expect(clock.place(&third, samples: 20) == 20)
    }
}
