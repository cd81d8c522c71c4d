import Foundation
import Testing

@testable import Platform

@Suite("The watch of an entry") struct EntryWatchTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    private func write(_ name: String) throws { try Data([1]).write(to: folder.appending(path: name)) }

    @Test("an entry that appears, changes its mode or disappears is a change, and another entry is none")
    func entry() throws {
        try makeFolder("a")
        defer { try? FileManager.default.removeItem(at: folder) }
        let watch = EntryWatch(folder: folder.appending(path: "a").path, name: "native")
        watch.arm()
        #expect(!watch.isBlind)
        try write("a/other")
        #expect(watch.wait(atMost: 0) == .late)
        try write("a/native")
        #expect(watch.wait(atMost: nil) == .changed)
        #expect(chmod(folder.appending(path: "a/native").path, 0o600) == 0)
        #expect(watch.wait(atMost: nil) == .changed)
        try FileManager.default.removeItem(at: folder.appending(path: "a/native"))
        #expect(watch.wait(atMost: nil) == .changed)
        #expect(watch.wait(atMost: 0) == .late)
    }

    @Test("a change of any entry counts if none is named")
    func anyEntry() throws {
        try makeFolder("a")
        defer { try? FileManager.default.removeItem(at: folder) }
        let watch = EntryWatch(folder: folder.appending(path: "a").path)
        watch.arm()
        try write("a/pcmC0D0p")
        #expect(watch.wait(atMost: nil) == .changed)
    }

    @Test("a missing folder is noticed when it appears, and its entry after that")
    func missingFolder() throws {
        try makeFolder("")
        defer { try? FileManager.default.removeItem(at: folder) }
        let watch = EntryWatch(folder: folder.appending(path: "run/pulse").path, name: "native")
        watch.arm()
        try makeFolder("run")
        #expect(watch.wait(atMost: nil) == .changed)
        watch.arm()
        try makeFolder("run/pulse")
        #expect(watch.wait(atMost: nil) == .changed)
        watch.arm()
        try write("run/pulse/native")
        #expect(watch.wait(atMost: nil) == .changed)
    }

    @Test("a stop ends each wait, and without a folder only a stop or the time does")
    func stop() {
        let watch = EntryWatch(folder: nil)
        watch.arm()
        #expect(watch.isBlind && watch.wait(atMost: 0) == .late)
        watch.stop()
        #expect(watch.wait(atMost: nil) == .stopped && watch.wait(atMost: nil) == .stopped)
    }
}
