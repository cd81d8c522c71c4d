import Glibc
import Platform

/// A temporary directory, which is deleted with its contents when this object is released.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/tonearm-test-XXXXXX\0".utf8CString)
        guard let made = mkdtemp(&template), let resolved = realpath(made, nil) else { throw Failed(errno: errno) }
        defer { free(resolved) }
        path = String(cString: resolved)
    }
    struct Failed: Error { var errno: Int32 }

    deinit { Self.removeAll(FilePath(path)) }

    private static func removeAll(_ path: FilePath) {
        // `remove` deletes files, symlinks and empty directories.
        if path.withCString({ remove($0) }) == 0 { return }
        guard let directory = path.withCString({ opendir($0) }) else { return }
        var names: [[UInt8]] = []
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { start in
                    names.append(Array(UnsafeBufferPointer(start: start, count: MemoryLayout.size(ofValue: tuple.pointee)).prefix { $0 != 0 }))
                }
            }
        }
        closedir(directory)
        for name in names where name != [0x2E] && name != [0x2E, 0x2E] { removeAll(FilePath(bytes: path.bytes + [0x2F] + name)) }
        _ = path.withCString { remove($0) }
    }

    /// Returns the path of a file whose name need not be UTF-8.
    func path(_ name: [UInt8]) -> FilePath { FilePath(bytes: Array(path.utf8) + [0x2F] + name) }

    func directory(_ name: [UInt8]) throws {
        guard path(name).withCString({ mkdir($0, 0o755) }) == 0 else { throw Failed(errno: errno) }
    }

    func file(_ name: [UInt8], _ contents: String = "x") throws {
        guard let file = path(name).withCString({ fopen($0, "w") }) else { throw Failed(errno: errno) }
        defer { fclose(file) }
        fputs(contents, file)
    }

    func delete(_ name: String) throws {
        guard unlink(path + "/" + name) == 0 else { throw Failed(errno: errno) }
    }

    @discardableResult func directory(_ name: String) throws -> String {
        guard mkdir(path + "/" + name, 0o755) == 0 else { throw Failed(errno: errno) }
        return path + "/" + name
    }

    @discardableResult func file(_ name: String, _ contents: String = "x") throws -> String {
        guard let file = fopen(path + "/" + name, "w") else { throw Failed(errno: errno) }
        defer { fclose(file) }
        fputs(contents, file)
        return path + "/" + name
    }

    @discardableResult func link(_ name: String, to target: String) throws -> String {
        guard symlink(target, path + "/" + name) == 0 else { throw Failed(errno: errno) }
        return path + "/" + name
    }

    @discardableResult func pipe(_ name: String) throws -> String {
        guard mkfifo(path + "/" + name, 0o600) == 0 else { throw Failed(errno: errno) }
        return path + "/" + name
    }
}
