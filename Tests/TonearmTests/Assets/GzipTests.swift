import Foundation
import Testing

@testable import tonearm

@Suite("Compressed files")
struct GzipTests {
    /// Decompresses the bytes by the gzip program.
    private func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let writer = Thread {
            input.fileHandleForWriting.write(Data(bytes))
            try? input.fileHandleForWriting.close()
        }
        writer.start()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(data)
    }

    @Test("gzip decompresses every embedded file to its bytes", arguments: RemoteAssets.files.map(\.path))
    func embedded(path: String) throws {
        let file = try #require(RemoteAssets.files.first { $0.path == path })
        let packed = try #require(Gzip.compressed(file.bytes))
        #expect(try unpacked(packed) == file.bytes)
    }

    @Test("compression is lossless and deterministic for no bytes, one byte, noise and a million zeros")
    func extremes() throws {
        let noise = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        for bytes in [[], [7], noise, [UInt8](repeating: 0, count: 1_000_000)] {
            let packed = try #require(Gzip.compressed(bytes))
            #expect(try unpacked(packed) == bytes)
            #expect(Gzip.compressed(bytes) == packed)
        }
        #expect((Gzip.compressed([UInt8](repeating: 0, count: 1_000_000)) ?? []).count < 2000)
    }
}
