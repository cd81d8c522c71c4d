import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import HTTPClient

@Suite("Media that are transferred ahead")
struct BufferedSourceTests {
    private let monitor = ConnectionMonitor()

    /// A remote medium that only the transferring thread uses after it was opened.
    private final class Handover: @unchecked Sendable {
        let remote: ScriptedRemote
        init(_ remote: ScriptedRemote) { self.remote = remote }
    }

    private func open(
        _ remote: ScriptedRemote, capacity: Int64 = 1 << 20, isOpening: Bool = false, interrupt: Interrupt = Interrupt()
    ) throws(PlaybackError) -> BufferedSource {
        remote.blockSize = 10_000
        let handover = Handover(remote)
        return try BufferedSource(capacity: capacity, isOpening: isOpening, monitor: monitor, interrupt: interrupt) { _ throws(PlaybackError) in
            try handover.remote.open()
            return handover.remote
        }
    }

    @Test("all bytes arrive in order, whatever the capacity", arguments: [Int64(1 << 18), 1 << 20, 32 << 20])
    func wholeMedium(_ capacity: Int64) throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        let remote = ScriptedRemote(3_000_000)
        #expect(try open(remote, capacity: capacity).rest() == remote.bytes)
    }

    @Test("a medium that fits is transferred once: seeks in it need no request")
    func seeks() throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        let remote = ScriptedRemote(400_000), source = try open(remote)
        #expect(waitUntil { monitor.reserve?.isComplete == true })
        #expect(monitor.reserve?.ahead == 400_000)
        let requested = remote.readOffsets
        for offset in [0, 399_999, 123_456, 5, 300_000] {
            try source.seek(to: Int64(offset))
            #expect(try source.rest() == Array(remote.bytes[offset...]))
        }
        #expect(remote.readOffsets == requested)
    }

    @Test("the transfer pauses at its limit, and continues when the reader has read")
    func limit() throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        let remote = ScriptedRemote(10_000_000), source = try open(remote, capacity: 1 << 20)
        #expect(waitUntil { monitor.reserve?.isFull == true })
        let reserve = try #require(monitor.reserve)
        #expect(reserve.ahead >= 3 << 18 && reserve.ahead < 3 << 18 + 20_000)
        #expect(reserve.missing == 10_000_000 - reserve.ahead)
        #expect(try source.rest() == remote.bytes)
    }

    @Test("the medium of an item that is not current has a small reserve, which grows after the item became current")
    func follower() throws {
        let remote = ScriptedRemote(5_000_000), source = try open(remote, capacity: 4 << 20)
        #expect(waitUntil { monitor.reserve?.isFull == true })
        #expect((monitor.reserve?.ahead ?? 0) < Transfer.followerReserve + 20_000)
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        #expect(waitUntil { (monitor.reserve?.ahead ?? 0) >= 3 << 20 })
        _ = source
    }

    @Test("the preferred duration of the buffer limits the reserve (R-BUF-06)")
    func preference() throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        monitor.setCapacity(300_000)
        let remote = ScriptedRemote(5_000_000), source = try open(remote, capacity: 4 << 20)
        #expect(waitUntil { monitor.reserve?.isFull == true })
        #expect((monitor.reserve?.ahead ?? 0) < 320_000)
        _ = source
    }

    @Test("a seek outside the kept bytes transfers from there, and a seek back finds what was kept")
    func farSeek() throws {
        let remote = ScriptedRemote(20_000_000), source = try open(remote, capacity: 1 << 20)
        try source.seek(to: 15_000_000)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        #expect(try source.read(into: buffer) == 100)
        #expect(Array(buffer) == Array(remote.bytes[15_000_000..<15_000_100]))
        try source.seek(to: 0)
        #expect(try source.read(into: buffer) == 100)
        #expect(Array(buffer) == Array(remote.bytes[0..<100]))
    }

    @Test("after a seek outside the kept bytes, small steps back from there need no request")
    func leadIn() throws {
        let remote = ScriptedRemote(20_000_000), source = try open(remote, capacity: 1 << 20)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        let target = 15_000_000, first = target - Int(Transfer.leadIn)
        for offset in [target, target - 2_000, target - 9_000, first] {
            try source.seek(to: Int64(offset))
            #expect(try source.read(into: buffer) == 100)
            #expect(Array(buffer) == Array(remote.bytes[offset..<(offset + 100)]))
        }
        let offsets = remote.readOffsets.filter { $0 > 10_000_000 }
        #expect(offsets.first == Int64(first) && offsets == offsets.sorted())
    }

    @Test("bytes after the announced ones are not transferred, until a read elsewhere")
    func neededBytes() throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        let remote = ScriptedRemote(20_000_000), source = try open(remote, capacity: 1 << 20)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        source.setNeeded(15_000_000..<15_050_000)
        for offset in stride(from: Int64(15_000_000), to: 15_050_000, by: 10_000) {
            try source.seek(to: offset)
            #expect(try source.read(into: buffer) == 100)
        }
        // The read at the start begins after the transfer has ended its last block, which may exceed the announced bytes.
        try source.seek(to: 0)
        #expect(try source.read(into: buffer) == 100)
        #expect((remote.readOffsets.max() ?? 0) < 15_050_000)
        try source.seek(to: 15_060_000)
        #expect(try source.read(into: buffer) == 100)
        #expect(waitUntil { (monitor.reserve?.ahead ?? 0) > 500_000 })
    }

    @Test("while a medium is being opened, only the first bytes and the announced ones are transferred, and afterwards those after the reader")
    func opening() throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        let remote = ScriptedRemote(20_000_000), source = try open(remote, isOpening: true), first: Int64 = 128 << 10
        func read(_ offset: Int64) throws {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
            defer { buffer.deallocate() }
            try source.seek(to: offset)
            #expect(try source.read(into: buffer) == 1 && buffer[0] == remote.bytes[Int(offset)])
        }
        try read(0)
        #expect(waitUntil { source.isPresent(0..<first) })
        source.setNeeded(15_000_000..<15_500_000)
        // The bytes between two reads in the announced ones are received without a jump, because all of them are needed.
        for offset: Int64 in [15_000_000, 15_499_999, 0, first - 1] { try read(offset) }
        #expect(source.isPresent(15_000_000..<15_500_000))
        // A read elsewhere asks for the usual number of bytes of a first request.
        try read(5_000_000)
        #expect(waitUntil { source.isPresent(5_000_000..<5_000_000 + first) })
        try read(0)
        source.finishOpening()
        #expect(waitUntil { monitor.reserve?.isFull == true } && source.isPresent(0..<500_000))
        let limits = [first, 5_000_000 + first, 15_500_000].map { $0 + 10_000 }
        let read = remote.readOffsets, late = read.lastIndex { $0 >= 5_000_000 } ?? 0
        #expect(read[...late].allSatisfy { offset in limits.contains { $0 - offset > 0 && $0 - offset <= 520_000 } })
        #expect(!read[...late].contains { $0 > first && $0 < 4_900_000 })
        #expect(Set(read).count == read.count)
    }

    @Test("if the server loses its byte ranges while the medium is opened, the bytes before the needed ones are transferred too")
    func lostRanges() throws {
        monitor.setDemand(isCurrent: true, isNeeded: false, now: HostTime(seconds: 0))
        let remote = ScriptedRemote(3_000_000)
        remote.rangedReads = 1
        let source = try open(remote, capacity: 4 << 20, isOpening: true)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { buffer.deallocate() }
        // A reader that would wait for ever gets an error.
        source.setDeadline(MonotonicClock().now + 60)
        for offset in [0, 2_500_000] {
            try source.seek(to: Int64(offset))
            #expect(try source.read(into: buffer) == 1 && buffer[0] == remote.bytes[offset])
        }
    }

    @Test("an error in the bytes before the reader reaches the reader, which does not wait for ever")
    func failedLeadIn() throws {
        let remote = ScriptedRemote(20_000_000)
        remote.failures = [14_990_000: [.changed]]
        let source = try open(remote, capacity: 1 << 20)
        try source.seek(to: 15_000_000)
        let error = #expect(throws: PlaybackError.self) { try source.rest() }
        #expect(error == .changed)
    }

    @Test("an error in announced bytes before the reader's offset reaches the reader, which does not wait for ever")
    func failedReadThrough() throws {
        let remote = ScriptedRemote(20_000_000)
        // The transfer may meet the first error before the reader reads behind it.
        remote.failures = [15_200_000: [.changed, .changed]]
        let source = try open(remote, capacity: 4 << 20), buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { buffer.deallocate() }
        source.setNeeded(15_000_000..<15_500_000)
        try source.seek(to: 15_000_000)
        #expect(try source.read(into: buffer) == 1)
        try source.seek(to: 15_499_999)
        let error = #expect(throws: PlaybackError.self) { try source.read(into: buffer) }
        #expect(error == .changed)
    }

    @Test("an error reaches the reader after all bytes before it, again at each read, and a seek tries anew")
    func failure() throws {
        let remote = ScriptedRemote(200_000)
        remote.failures = [100_000: [.changed]]
        let source = try open(remote)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 7_000, alignment: 1)
        defer { buffer.deallocate() }
        let error = #expect(throws: PlaybackError.self) {
            while true { bytes += buffer[..<(try source.read(into: buffer))] }
        }
        #expect(error == .changed && bytes == Array(remote.bytes[..<100_000]))
        #expect(throws: PlaybackError.self) { try source.read(into: buffer) }
        try source.seek(to: 120_000)
        #expect(try source.rest() == Array(remote.bytes[120_000...]))
    }

    @Test("a medium that cannot be opened fails with its error")
    func refused() {
        let remote = ScriptedRemote(100)
        remote.openings = [PlaybackError(.fileNotFound, "none")]
        let error = #expect(throws: PlaybackError.self) { try open(remote) }
        #expect(error == PlaybackError(.fileNotFound, "none"))
    }

    @Test("an interrupt ends the wait for a medium that does not open, and the transfer ends too")
    func interruptedOpening() {
        let interrupt = Interrupt(), ended = DispatchSemaphore(value: 0)
        let error = #expect(throws: PlaybackError.self) {
            try BufferedSource(monitor: monitor, interrupt: interrupt) { stop throws(PlaybackError) in
                interrupt.raise()
                _ = waitUntil { stop.isRaised }
                ended.signal()
                throw .cancelled
            }
        }
        #expect(error?.code == .cancelled)
        ended.wait()
    }

    @Test("a reader that waits is interrupted, and can read on later")
    func interruptedRead() throws {
        let interrupt = Interrupt(), source = try open(ScriptedRemote(100), interrupt: interrupt)
        interrupt.raise()
        let error = #expect(throws: PlaybackError.self) { try source.rest() }
        #expect(error?.code == .cancelled)
        interrupt.clear()
        #expect(try source.rest().count == 100)
    }

    /// A medium of which no byte arrives.
    private final class SilentRemote: ByteSource {
        let stop: Interrupt
        init(_ stop: Interrupt) { self.stop = stop }
        let (offset, length, isRemote, isSeekable, isLive) = (Int64(0), Int64?.none, true, false, false)
        func seek(to offset: Int64) {}
        func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
            _ = waitUntil { stop.isRaised }
            throw .cancelled
        }
    }

    @Test("after its deadline a reader does not wait for bytes that have not arrived")
    func deadline() throws {
        let silent = try BufferedSource(monitor: monitor, interrupt: Interrupt()) { stop throws(PlaybackError) in SilentRemote(stop) }
        silent.setDeadline(HostTime(seconds: 0))
        let error = #expect(throws: PlaybackError.self) { try silent.rest() }
        #expect(error?.code == .timedOut)
    }

    @Test("a medium without ranges is read in order, and does not seek")
    func sequential() throws {
        let remote = ScriptedRemote(500_000)
        remote.isSeekable = false
        let source = try open(remote, capacity: 1 << 18)
        #expect(!source.isSeekable)
        #expect(throws: PlaybackError.self) { try source.seek(to: 5) }
        #expect(try source.rest() == remote.bytes)
    }

    @Test("without a thread the opening fails as busy")
    func noThread() {
        let error = #expect(throws: PlaybackError.self) {
            try BufferedSource(
                monitor: monitor, interrupt: Interrupt(),
                makeThread: { name, body throws(SystemError) in try WorkerThread(starting: name, stackSize: 1 << 60, body: body) }
            ) { _ throws(PlaybackError) in throw .cancelled }
        }
        #expect(error?.code == .busy)
    }
}
