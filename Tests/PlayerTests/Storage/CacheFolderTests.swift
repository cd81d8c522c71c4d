import Glibc
import Testing

@testable import Player

@Suite("Files that can be made again")
struct CacheFolderTests {
    private let home: TemporaryDirectory
    private let path: String
    private let folder: CacheFolder

    init() throws {
        home = try TemporaryDirectory()
        path = home.path + "/cache"
        folder = try #require(CacheFolder(path: path, limits: CacheFolder.Limits(file: 1000, total: 2500)))
    }

    private func bytes(_ count: Int, _ value: UInt8 = 1) -> [UInt8] { Array(repeating: value, count: count) }

    /// Sets the time of the last use of a file, in seconds.
    private func setUse(_ name: String, _ seconds: Int) {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        utimensat(AT_FDCWD, path + "/" + name, times, 0)
    }

    @Test("a file is kept over restarts, and replaced by another one of its name")
    func kept() throws {
        #expect(folder.keep(bytes(10), as: "a-1") && folder.keep(bytes(20, 2), as: "a-1") && folder.keep([], as: "b"))
        let other = try #require(CacheFolder(path: path, limits: CacheFolder.Limits(file: 1000, total: 2500)))
        #expect(other.bytes(of: "a-1") == bytes(20, 2) && other.bytes(of: "b") == [] && other.bytes(of: "c") == nil)
        var status = stat()
        #expect(stat(path + "/a-1", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    }

    @Test("a folder that other users can write is not used")
    func writable() throws {
        #expect(chmod(path, 0o777) == 0)
        #expect(CacheFolder(path: path, limits: CacheFolder.Limits(file: 1000, total: 2500)) == nil)
    }

    @Test("a file beyond the limit is neither written nor read")
    func largest() throws {
        #expect(!folder.keep(bytes(1001), as: "a") && folder.bytes(of: "a") == nil)
        let larger = try #require(CacheFolder(path: path, limits: CacheFolder.Limits(file: 2000, total: 2500)))
        #expect(larger.keep(bytes(1001), as: "a") && larger.bytes(of: "a") != nil && folder.bytes(of: "a") == nil)
    }

    @Test("beyond the limit of all, the files that were not used for the longest time are removed")
    func excess() {
        for (number, name) in ["a", "b", "c"].enumerated() {
            #expect(folder.keep(bytes(800), as: name))
            setUse(name, 1000 + number)
        }
        #expect(folder.bytes(of: "a") != nil)
        #expect(folder.keep(bytes(800), as: "d"))
        #expect(["a", "b", "c", "d"].map { folder.bytes(of: $0) != nil } == [true, false, true, true])
    }

    @Test("names that could be another path are refused", arguments: ["", "../a", "a/b", ".", "A", "a.b", String(repeating: "a", count: 201)])
    func names(_ name: String) {
        #expect(!folder.keep(bytes(1), as: name) && folder.bytes(of: name) == nil)
    }

    @Test("a link and a folder with the name of a file are not read")
    func links() {
        symlink("/etc/hostname", path + "/a")
        mkdir(path + "/b", 0o700)
        #expect(folder.bytes(of: "a") == nil && folder.bytes(of: "b") == nil)
        #expect(folder.keep(bytes(5), as: "a") && folder.bytes(of: "a") == bytes(5) && !folder.keep(bytes(5), as: "b"))
    }

    @Test("a file that was not written completely is removed at the next start")
    func draft() throws {
        #expect(symlink("/nowhere", path + "/draft") == 0)
        _ = try #require(CacheFolder(path: path, limits: CacheFolder.Limits(file: 1000, total: 2500)))
        var status = stat()
        #expect(lstat(path + "/draft", &status) != 0 && folder.keep(bytes(5), as: "a"))
    }

    @Test("a folder that cannot be created is no cache")
    func unavailable() { #expect(CacheFolder(path: "/proc/cache", limits: CacheFolder.Limits(file: 1, total: 1)) == nil) }
}
