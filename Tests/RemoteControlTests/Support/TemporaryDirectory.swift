import Glibc

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

    deinit { Self.removeAll(path) }

    private static func removeAll(_ path: String) {
        // `remove` deletes files, symlinks and empty directories.
        if remove(path) == 0 { return }
        guard let directory = opendir(path) else { return }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { names.append(String(cString: $0)) }
            }
        }
        closedir(directory)
        for name in names where name != "." && name != ".." { removeAll(path + "/" + name) }
        remove(path)
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
