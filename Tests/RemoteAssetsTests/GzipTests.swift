import Foundation
import Testing

@testable import RemoteAssets

@Suite("Compressed files")
struct GzipTests {
    /// What the gzip program makes of it.
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

    @Test("gzip itself reads what was compressed, of every file that is embedded", arguments: RemoteAssets.files.map(\.path))
    func embedded(path: String) throws {
        let file = try #require(RemoteAssets.files.first { $0.path == path })
        let packed = try #require(Gzip.compressed(file.bytes))
        #expect(try unpacked(packed) == file.bytes)
    }

    @Test("of nothing, of one byte, of noise and of a million zeros too, always the same")
    func extremes() throws {
        let noise = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        for bytes in [[], [7], noise, [UInt8](repeating: 0, count: 1_000_000)] {
            let packed = try #require(Gzip.compressed(bytes))
            #expect(try unpacked(packed) == bytes)
            #expect(Gzip.compressed(bytes) == packed)
        }
        #expect((Gzip.compressed([UInt8](repeating: 0, count: 1_000_000)) ?? []).count < 2000)
    }

    @Test("the contract is a fifth of its size")
    func contract() throws {
        #expect(try #require(Gzip.compressed(RemoteAssets.openAPI)).count * 5 < RemoteAssets.openAPI.count)
    }
}
