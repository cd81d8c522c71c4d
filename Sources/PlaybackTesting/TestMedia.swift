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

/// Encodes samples as WAV files.
public enum WaveFile {
    /// Returns a WAV file. Samples of 8 bits are unsigned; samples of 16, 24 and 32 bits are signed.
    public static func data(_ samples: [Int32], bits: Int, sampleRate: Int, channelCount: Int) -> Data {
        let width = bits / 8
        var data = Data()
        func append(_ value: Int, _ bytes: Int) { for index in 0..<bytes { data.append(UInt8(truncatingIfNeeded: value >> (8 * index))) } }
        let isExtensible = channelCount > 2 || bits > 16
        let size = samples.count * width
        data.append(contentsOf: Array("RIFF".utf8))
        append((isExtensible ? 60 : 36) + size, 4)
        data.append(contentsOf: Array("WAVEfmt ".utf8))
        append(isExtensible ? 40 : 16, 4)
        append(isExtensible ? 0xFFFE : 1, 2)
        append(channelCount, 2)
        append(sampleRate, 4)
        append(sampleRate * channelCount * width, 4)
        append(channelCount * width, 2)
        append(bits, 2)
        if isExtensible {
            append(22, 2)
            append(bits, 2)
            append([0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F][channelCount], 4)
            data.append(contentsOf: [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
        }
        data.append(contentsOf: Array("data".utf8))
        append(size, 4)
        var bytes = [UInt8](repeating: 0, count: size)
        for (number, sample) in samples.enumerated() {
            let value = bits == 8 ? sample + 128 : sample
            for index in 0..<width { bytes[number * width + index] = UInt8(truncatingIfNeeded: value >> Int32(8 * index)) }
        }
        data.append(contentsOf: bytes)
        return data
    }
}
