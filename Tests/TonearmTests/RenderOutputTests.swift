import Foundation
import PlaybackEngine
import Testing

@testable import tonearm

@Suite("The output of a rendering")
struct RenderOutputTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appending(path: "tonearm-output-\(UUID().uuidString)").path
        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
        var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path) } }
    }

    private let folder: Folder
    private let output: RenderCommand.Output

    init() throws {
        folder = try Folder()
        var options = RenderOptions()
        options.output = .file(path: folder.path + "/out.wav")
        output = RenderCommand.Output(options)
    }

    private func take() -> Bool {
        [Float](repeating: 0.5, count: 100).withUnsafeBufferPointer { output.take($0, AudioFormat(sampleRate: 44_100, channelLayout: .mono)) }
    }

    @Test("a signal before the first block of audio leaves no file")
    func early() throws {
        output.discard()
        #expect(!take())
        #expect(try folder.files.isEmpty)
    }

    @Test("a signal after the first block of audio leaves no file")
    func late() throws {
        #expect(take())
        #expect(try folder.files.count == 1)
        output.discard()
        #expect(!take())
        #expect(try folder.files.isEmpty)
    }
}
