public import Foundation
import Synchronization

/// Media files in a directory that is removed when the process exits. WAV files are written here; `ffmpeg` makes all others. Each is made once.
public final class TestMedia: Sendable {
    public static let shared = TestMedia()

    public let directory: URL
    /// A media file, whose lock is held while it is made. Other files can be made meanwhile, also by the same function.
    private final class Entry: Sendable { let url = Mutex<URL?>(nil) }
    private let made = Mutex<[String: Entry]>([:])

    private init() {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("tonearm-media-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        TestMedia.removeAtExit.withLock { $0 = directory.path }
        atexit { if let path = TestMedia.removeAtExit.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) } }
    }
    private static let removeAtExit = Mutex<String?>(nil)

    /// A media file could not be made.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Returns the file with this name. If it does not exist, `make` makes it.
    public func file(_ name: String, _ make: (URL) throws -> Void) throws -> URL {
        let entry = made.withLock { made in
            let entry = made[name] ?? Entry()
            made[name] = entry
            return entry
        }
        return try entry.url.withLock { known in
            if let known { return known }
            let url = directory.appendingPathComponent(name)
            try make(url)
            known = url
            return url
        }
    }

    public func wave(_ signal: TestSignal, bits: Int = 16) throws -> URL {
        try file("signal-\(signal.sampleRate)-\(signal.channelCount)-\(signal.frameCount)-\(signal.seed)-\(signal.hasAttacks)-\(bits).wav") { url in
            try WaveFile.data(signal.integers(bits: bits), bits: bits, sampleRate: signal.sampleRate, channelCount: signal.channelCount).write(
                to: url)
        }
    }

    /// Returns a file that `ffmpeg` encodes from a signal; the extension determines the container.
    public func encoded(_ signal: TestSignal, bits: Int = 16, as name: String, _ fileExtension: String, _ arguments: [String]) throws -> URL {
        let source = try wave(signal, bits: bits)
        return try file("\(source.deletingPathExtension().lastPathComponent)-\(name).\(fileExtension)") { url in
            try TestMedia.ffmpeg(["-i", source.path] + arguments + [url.path])
        }
    }

    /// Runs `ffmpeg`; throws if it fails.
    public static func ffmpeg(_ arguments: [String]) throws {
        let process = Process(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let output = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "ffmpeg \(arguments.joined(separator: " ")): \(String(decoding: output, as: UTF8.self))")
        }
    }
}
