import Glibc
import Platform
import PlaybackEngine

/// Reads the names in an open folder, and what the system says about each without a look at the file. Only links, and files of a file system that
/// reports no kinds, are looked at. All methods block.
struct FolderScan: ~Copyable {
    /// The number of names between two looks at the clock.
    private static let stride = 1024

    private let directory: OpaquePointer
    private let confinement: PathConfinement
    /// Throws if the time is over.
    private let check: () throws(Problem) -> Void

    /// - Parameter directory: The open folder, which the scan closes at its end.
    init(_ directory: OpaquePointer, _ confinement: PathConfinement, check: @escaping () throws(Problem) -> Void) {
        self.directory = directory
        self.confinement = confinement
        self.check = check
    }

    deinit { closedir(directory) }

    /// The path of the folder, with links resolved; nil if the folder was removed.
    var path: [UInt8]? { OpenFile.path(of: dirfd(directory)) }

    /// Adds the names of the folders, media and playlist files to a selection. Hidden files, and links that lead outside the media roots, are skipped.
    func read(into selection: inout NameSelection) throws(Problem) {
        rewinddir(directory)
        var examined = 0
        while let entry = readdir(directory) {
            examined += 1
            if examined % Self.stride == 0 { try check() }
            // A name may be longer than the array that the type declares.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: UInt8.self)
            let name = UnsafeBufferPointer(start: start, count: strlen((UnsafeRawPointer(start)).assumingMemoryBound(to: CChar.self)))
            guard let first = name.first, first != UInt8(ascii: "."), name.count <= AbsolutePath.maximumNameLength else { continue }
            add(name, type: entry.pointee.d_type, to: &selection)
        }
    }

    private func add(_ name: UnsafeBufferPointer<UInt8>, type: UInt8, to selection: inout NameSelection) {
        var type = Int(type)
        if type == DT_UNKNOWN { type = Self.type(status(of: name)) }
        switch type {
        case Int(DT_DIR): selection.add(name, .directory, isLink: false)
        case Int(DT_REG): if let kind = MediaExtension.kind(name) { selection.add(name, kind, isLink: false) }
        case Int(DT_LNK):
            guard let target = target(of: name) else { return }
            if target.isDirectory { return selection.add(name, .directory, isLink: true) }
            if target.file != nil, let kind = MediaExtension.kind(name) { selection.add(name, kind, isLink: true) }
        default: return
        }
    }

    private static func type(_ status: stat?) -> Int {
        switch (status?.st_mode ?? 0) & S_IFMT {
        case S_IFDIR: Int(DT_DIR)
        case S_IFREG: Int(DT_REG)
        case S_IFLNK: Int(DT_LNK)
        default: Int(DT_UNKNOWN)
        }
    }

    // MARK: Single files

    /// What a link leads to, inside the media roots.
    struct Target {
        var path: AbsolutePath
        var isDirectory: Bool
        /// The identity of a regular file; nil for everything else.
        var file: FileIdentity?
    }

    /// Returns the identity of the regular file with a name; nil if there is none any more. Links are not followed.
    func identity(of name: some Collection<UInt8>) -> FileIdentity? {
        Array(name).withUnsafeBufferPointer { status(of: $0) }.flatMap(FileIdentity.init)
    }

    /// Returns what the link with a name leads to; nil for nothing, and for a target outside the media roots. The target is not opened for reading.
    func target(of name: some Collection<UInt8>) -> Target? {
        let descriptor = FilePath(bytes: name).withCString { openat(dirfd(directory), $0, OpenFile.pathOnly | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_nlink > 0, let bytes = OpenFile.path(of: descriptor),
            let path = try? AbsolutePath(bytes: bytes), confinement.permits(resolved: path.file)
        else { return nil }
        return Target(path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR, file: FileIdentity(status))
    }

    private func status(of name: UnsafeBufferPointer<UInt8>) -> stat? {
        var status = stat()
        let isKnown = FilePath(bytes: name).withCString { fstatat(dirfd(directory), $0, &status, AT_SYMLINK_NOFOLLOW) } == 0
        return isKnown ? status : nil
    }
}
