import Glibc
import Platform

/// Arguments are bytes, and a file name in one need not be UTF-8.
enum ArgumentText {
    /// Without the name of the program.
    static func commandLine() -> [String] {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
        guard let directory = getcwd(nil, 0) else { return texts(arguments, directory: []) }
        defer { free(directory) }
        return texts(arguments, directory: Array(UnsafeRawBufferPointer(start: directory, count: strlen(directory))))
    }

    /// A path that is not UTF-8 becomes a `file:` URL; in other arguments U+FFFD replaces such bytes. Paths are relative to `directory`.
    static func texts(_ arguments: [[UInt8]], directory: [UInt8]) -> [String] {
        arguments.enumerated().map { index, bytes in
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            let former = index > 0 ? arguments[index - 1] : []
            let isValue = former.starts(with: "-".utf8) && !former.elementsEqual("--media-root".utf8)
            guard bytes.first != UInt8(ascii: "-"), !isValue else { return String(decoding: bytes, as: UTF8.self) }
            let slash = UInt8(ascii: "/")
            return FilePath(bytes: bytes.first == slash ? bytes : directory + [slash] + bytes).url
        }
    }
}
