import Glibc
import PlaybackEngine

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
        if path.withCString({ Glibc.remove($0) }) == 0 { return }
        guard let directory = path.withCString({ opendir($0) }) else { return }
        var names: [[UInt8]] = []
        while let entry = readdir(directory) {
            withUnsafeBytes(of: &entry.pointee.d_name) { names.append(Array($0.prefix { $0 != 0 })) }
        }
        closedir(directory)
        for name in names where !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8) { removeAll(path + name) }
        _ = path.withCString { Glibc.remove($0) }
    }

    /// Makes a file with a name that need not be UTF-8, in a directory of this one.
    func file(_ name: [UInt8], in directory: String, contents: [UInt8] = [0x78]) throws {
        guard let file = (FilePath(path + "/" + directory) + name).withCString({ fopen($0, "w") }) else { throw Failed(errno: errno) }
        defer { fclose(file) }
        fwrite(contents, 1, contents.count, file)
    }

    /// Removes a file or an empty directory.
    func remove(_ name: String) { _ = FilePath(path + "/" + name).withCString { Glibc.remove($0) } }

    /// Makes a directory with a name that need not be UTF-8.
    func directory(_ name: [UInt8], in directory: String) throws {
        guard (FilePath(path + "/" + directory) + name).withCString({ mkdir($0, 0o755) }) == 0 else { throw Failed(errno: errno) }
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

extension FilePath {
    /// Returns the path of a file in the directory at a path.
    static func + (directory: FilePath, name: [UInt8]) -> FilePath { FilePath(bytes: directory.bytes + [UInt8(ascii: "/")] + name) }
}
