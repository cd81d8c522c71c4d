import Glibc
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import RemoteControl

@Suite("Waveforms that are kept over restarts")
struct WaveformArchiveTests {
    private final class Archive: WaveformArchive {
        private let kept = Mutex<[String: [UInt8]]>([:])
        var all: [String: [UInt8]] { kept.withLock { $0 } }
        func waveform(named name: String) -> [UInt8]? { kept.withLock { $0[name] } }
        func keep(_ waveform: [UInt8], named name: String) { kept.withLock { $0[name] = waveform } }
    }

    private let home: TemporaryDirectory
    private let path: String
    private let archive = Archive()
    private let opener = FakeOpener()

    init() throws {
        home = try TemporaryDirectory()
        path = try home.file("a.flac")
        opener.setMedium(Self.medium, at: path)
    }

    private static let medium = FakeOpener.Medium(frames: 3000) { frame, _ in Float(frame % 100) / 100 }

    /// Runs the analysis of a file to its end, as a run of the program does.
    private func analyse(_ path: String? = nil) throws -> WaveformAnalysis.Progress {
        let source = MediaSource(.file(path: path ?? self.path))
        let analysis = WaveformAnalysis(source, opener: opener, clock: VirtualClock(seconds: 0), archive: archive)
        while true {
            let progress = try analysis.step().get()
            if progress.isComplete { return progress }
        }
    }

    @Test("a file whose waveform is kept is not read again, and its waveform is the same")
    func kept() throws {
        let first = try analyse(), second = try analyse()
        #expect(opener.openings.count == 1 && archive.all.count == 1)
        #expect(second.isComplete && second.duration == first.duration)
        for count in [1, 7, 800] {
            let bands = [first, second].map { $0.waveform.bands(count, from: 0, to: 3, isComplete: true) }
            #expect(bands[0] == bands[1])
        }
    }

    @Test("a renamed file keeps its waveform, and a changed one is read again")
    func changed() throws {
        _ = try analyse()
        #expect(rename(path, home.path + "/b.flac") == 0)
        _ = try analyse(home.path + "/b.flac")
        #expect(opener.openings.count == 1)
        opener.setMedium(Self.medium, at: home.path + "/b.flac")
        try home.file("a.flac", "other")
        _ = try analyse()
        #expect(opener.openings.count == 2 && archive.all.count == 2)
    }

    @Test("the waveform of a file that changes while it is read is not kept")
    func changing() throws {
        let home = home
        opener.setMedium(FakeOpener.Medium(frames: 3000, sample: { _, _ in 0 }, willRead: { _ = try? home.file("a.flac", "longer") }), at: path)
        _ = try analyse()
        #expect(archive.all.isEmpty)
    }

    @Test("a file that a link names is read each time")
    func link() throws {
        let link = try home.link("c.flac", to: path)
        opener.setMedium(Self.medium, at: link)
        for _ in 0..<2 { _ = try analyse(link) }
        #expect(opener.openings.count == 2 && archive.all.isEmpty)
    }

    @Test("bytes that are no waveform are replaced")
    func damaged() throws {
        _ = try analyse()
        let name = try #require(archive.all.keys.first), bytes = try #require(archive.all[name])
        archive.keep(Array(bytes.dropLast()), named: name)
        _ = try analyse()
        #expect(opener.openings.count == 2 && archive.all[name] == bytes)
    }

    @Test("of a changed header, no waveform is made whose parts contradict each other")
    func header() throws {
        let bytes = try analyse().waveform.bytes
        var made = 0
        for offset in 0..<48 {
            for bit in 0..<8 {
                var changed = bytes
                changed[offset] ^= 1 << bit
                guard let waveform = Waveform(changed) else { continue }
                made += 1
                // Only another sample rate leaves a waveform.
                #expect((8..<16).contains(offset) && waveform.frameCount == 3000)
            }
        }
        #expect(made > 0 && Waveform([]) == nil && Waveform([UInt8](repeating: 0, count: 60)) == nil)
        var infinite = bytes
        infinite.replaceSubrange(48..<52, with: [0, 0, 0x80, 0x7F])
        #expect(Waveform(infinite) == nil)
    }
}
