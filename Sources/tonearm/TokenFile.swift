import Glibc
import Platform
import RemoteControl

/// The file that keeps the token between runs; readable for its owner only.
struct TokenFile {
    let path: String

    /// The path of a file in the folder for state: systemd's `$STATE_DIRECTORY`, or `$XDG_STATE_HOME/tonearm`, or `~/.local/state/tonearm`.
    static func standardPath(environment: [String: String]) throws(Unusable) -> String {
        if let folder = StateFolder.standardPath(environment: environment) { return folder + "/token" }
        throw Unusable(description: "there is no folder for the token: set HOME or XDG_STATE_HOME, or name a file with --token-file")
    }

    /// Returns the token; creates the file with a new one if it does not exist. Blocks.
    func token() throws(Unusable) -> AccessToken {
        if let token = try read() { return token }
        let token = AccessToken.random()
        // If two programs start at the same time, one creates the file, and the other reads it.
        if try write(token) { return token }
        guard let token = try read() else { throw unusable("another program creates and removes it") }
        return token
    }

    /// Returns the token, but never creates one. Blocks.
    func existing() throws(Unusable) -> AccessToken {
        guard let token = try read() else { throw unusable("it does not exist") }
        return token
    }

    /// Reads the token; nil if the file does not exist.
    private func read() throws(Unusable) -> AccessToken? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw unusable(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw unusable("it is not a regular file") }
        guard status.st_mode & 0o077 == 0 else { throw unusable("other users can read or write it; run chmod 600 on it") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw unusable("it belongs to another user") }
        var bytes = [UInt8](repeating: 0, count: AccessToken.lengths.upperBound + 64)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw unusable(String(cString: strerror(errno))) }
        let text = String(decoding: bytes[..<count].drop(while: Self.isSpace), as: UTF8.self)
        guard let token = AccessToken(String(decoding: text.utf8.reversed().drop(while: Self.isSpace).reversed(), as: UTF8.self)) else {
            let lengths = AccessToken.lengths
            throw unusable("it contains no token of \(lengths.lowerBound) to \(lengths.upperBound) letters, digits and -._~+/=")
        }
        return token
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Writes the whole content at once; returns false if the file exists.
    private func write(_ token: AccessToken) throws(Unusable) -> Bool {
        try makeFolder()
        // The draft has a random name, so that no other program writes into it.
        let draft = path + "." + String(UInt64.random(in: .min ... .max), radix: 16)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw unusable(String(cString: strerror(errno))) }
        defer { unlink(draft) }
        let isWritten = Log.write(token.text + "\n", to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else { throw unusable(String(cString: strerror(code))) }
        // The link fails if a file with this name exists.
        if link(draft, path) == 0 { return true }
        guard errno == EEXIST else { throw unusable(String(cString: strerror(errno))) }
        return false
    }

    /// Makes the folder, to which only the owner has access.
    private func makeFolder() throws(Unusable) {
        let folder = (path.hasPrefix("/") ? "/" : "") + path.split(separator: "/").dropLast().joined(separator: "/")
        do throws(PrivateFolder.Failure) { try PrivateFolder.make(folder) } catch {
            throw Unusable(description: "the folder \(error.path) for the token cannot be created: \(error.error.message)")
        }
    }

    private func unusable(_ reason: String) -> Unusable { Unusable(description: "the token file \(path) cannot be used: \(reason)") }
}
