import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Media that yield no audio")
struct HoleTests {
    private static let limit: Int64 = 8 << 20
    /// The greatest number of blocks that are read: ten times the audio of a medium.
    private static let patience = 700

    private static var opener: FFmpegOpener {
        var opener = FFmpegOpener()
        opener.byteLimit = limit
        return opener
    }

    /// The first three quarters of 12 s of a medium.
    private static func beginning(_ stream: LiveStartTests.Stream) throws -> [UInt8] {
        let signal = TestSignal(frameCount: 44_100 * 12)
        let url = try TestMedia.shared.encoded(signal, as: "live-\(stream.name)", stream.fileExtension, stream.arguments)
        let bytes = try [UInt8](Data(contentsOf: url))
        return Array(bytes[..<(bytes.count * 3 / 4)])
    }

    /// The media for stations but AU, whose zeros are samples, and other containers.
    private static let streams =
        LiveStartTests.streams.filter { $0.name != "au" } + [
            LiveStartTests.Stream(name: "wavpack", fileExtension: "wv", arguments: ["-c:a", "wavpack"]),
            LiveStartTests.Stream(name: "aac-matroska", fileExtension: "mkv", arguments: ["-c:a", "aac"]),
            LiveStartTests.Stream(name: "mp3-nut", fileExtension: "nut", arguments: ["-c:a", "libmp3lame"]),
            LiveStartTests.Stream(name: "mp3-avi", fileExtension: "avi", arguments: ["-c:a", "libmp3lame"]),
            LiveStartTests.Stream(name: "aac-m4a", fileExtension: "m4a", arguments: ["-c:a", "aac", "-movflags", "+faststart"]),
            LiveStartTests.Stream(name: "alac-caf", fileExtension: "caf", arguments: ["-c:a", "alac"]),
            LiveStartTests.Stream(name: "tta", fileExtension: "tta", arguments: ["-c:a", "tta"]),
            LiveStartTests.Stream(name: "eac3", fileExtension: "eac3", arguments: ["-c:a", "eac3"]),
            LiveStartTests.Stream(name: "dts", fileExtension: "dts", arguments: ["-c:a", "dca", "-strict", "-2"]),
            LiveStartTests.Stream(name: "mp2-ps", fileExtension: "mpg", arguments: ["-c:a", "mp2", "-f", "mpeg"]),
        ]

    /// The media that FFmpeg reads at their opening until it has seen as much of them as it wants.
    private static let refused: Set = ["aac-ts", "mp2-ts", "wav", "wav-24-bit", "w64", "mp3-nut", "mp3-avi", "alac-caf", "mp2-ps"]

    /// Reads a medium until its end or an error. Returns the number of blocks, and the error's code.
    private func read(_ reader: FFmpegReader, _ source: HoledSource) -> (blocks: Int, code: PlaybackError.Code?) {
        var blocks = 0
        do throws(PlaybackError) {
            while blocks < Self.patience {
                let before = source.count
                defer { #expect(source.count - before < Self.limit + (2 << 20), "one call reads no more than the budget") }
                guard try reader.read() != nil else { break }
                blocks += 1
            }
            return (blocks, nil)
        } catch { return (blocks, error.code) }
    }

    @Test("a hole without end after the audio ends the medium, in any container, as a file and from a server", arguments: streams, [true, false])
    func hole(_ stream: LiveStartTests.Stream, _ isRemote: Bool) throws {
        let source = try HoledSource(Self.beginning(stream), isRemote: isRemote)
        let reader: FFmpegReader
        do throws(PlaybackError) {
            reader = try Self.opener.open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt())
        } catch {
            let codes: [PlaybackError.Code] = [.noAudio, .corruptMedia, .unsupportedFormat]
            #expect(Self.refused.contains(stream.name) && codes.contains(error.code), "\(error)")
            #expect(source.count < 3 * Self.limit)
            return
        }
        #expect(source.count < 3 * Self.limit)
        let (blocks, code) = read(reader, source)
        #expect(blocks > 0 && blocks < Self.patience)
        #expect(code == nil || code == .noAudio || code == .corruptMedia)
        // Nothing reads on afterwards.
        let count = source.count
        _ = try? reader.examine()
        #expect(source.count - count < 2 << 20)
    }

    @Test("a sparse MP3 file of 300 GB ends with noAudio after its audio")
    func sparse() throws {
        let bytes = try Self.beginning(LiveStartTests.streams[0])
        let url = try TestMedia.shared.file("hole-sparse.mp3") { url in
            try Data(bytes).write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 300_000_000_000)
            try handle.close()
        }
        let reader = try Self.opener.open(MediaSource(.file(path: url.path)), interrupt: Interrupt())
        var frames = 0, code: PlaybackError.Code?
        do throws(PlaybackError) { while let block = try reader.read() { frames += block.frameCount } } catch { code = error.code }
        #expect(code == .noAudio)
        #expect(frames > 44_100 * 8)
    }

    @Test("with its usual budget, a player reads little of a hole in a file, so that the processor is idle soon after a pause")
    func little() throws {
        let beginning = try Self.beginning(LiveStartTests.streams[0]), source = HoledSource(beginning, isRemote: false)
        let reader = try FFmpegOpener().open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt())
        var blocks = 0, most: Int64 = 0
        while blocks < Self.patience {
            let before = source.count
            defer { most = max(most, source.count - before) }
            guard (try? reader.read()) != nil else { break }
            blocks += 1
        }
        #expect(blocks > 0 && blocks < Self.patience)
        #expect(most < BudgetedSource.readLimit + Int64(beginning.count) + (2 << 20))
    }

    @Test("an interrupt ends the reading of a hole at once, and a seek back finds the audio again", arguments: [true, false])
    func interrupted(_ isRemote: Bool) throws {
        let interrupt = Interrupt(), source = try HoledSource(Self.beginning(LiveStartTests.streams[0]), isRemote: isRemote)
        var opener = Self.opener
        opener.byteLimit = 1 << 40
        let reader = try opener.open(source, MediaSource(.remote(url: "http://h/")), interrupt: interrupt)
        source.interrupt = interrupt
        let (blocks, code) = read(reader, source)
        #expect(blocks > 0 && code == .cancelled)
        let count = source.count
        #expect(throws: PlaybackError.self) { try reader.read() }
        #expect(source.count == count)
        source.interrupt = nil
        interrupt.clear()
        #expect(try reader.seek(to: 1000, before: 0, after: 0) == 1000)
        #expect(try reader.read()?.position == 1000)
    }

    @Test("after the budget was used up, a seek back plays the audio before the hole again")
    func seekBack() throws {
        let source = try HoledSource(Self.beginning(LiveStartTests.streams[0]), isRemote: false)
        let reader = try Self.opener.open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt())
        #expect(read(reader, source).code == .noAudio)
        #expect(try reader.seek(to: 44_100, before: 0, after: 0) == 44_100)
        #expect(try reader.read()?.position == 44_100)
    }

    @Test("an hour of digital silence is audio", arguments: [true, false])
    func silence(_ isRemote: Bool) throws {
        let signal = TestSignal(sampleRate: 8000, channelCount: 1, frameCount: 8000)
        var bytes = try [UInt8](Data(contentsOf: TestMedia.shared.wave(signal)))
        // The size of the samples, and that of the file without its first 8 bytes, are those of a day and a half.
        let size = 0x7F00_0000
        bytes.replaceSubrange(4..<8, with: [36, 0, 0, 0x7F])
        bytes.replaceSubrange(40..<44, with: [0, 0, 0, 0x7F])
        let source = HoledSource(bytes, length: 44 + Int64(size), isRemote: isRemote), hour = 3600 * 8000
        let reader = try Self.opener.open(source, MediaSource(.remote(url: "http://h/")), interrupt: Interrupt())
        var frames = 0
        while frames < hour, let block = try reader.read() { frames += block.frameCount }
        #expect(frames >= hour)
        #expect(source.count > 6 * Self.limit)
    }

    @Test("a seek in Matroska without cues, for which FFmpeg reads all blocks in one call, may read more than the budget")
    func withoutCues() throws {
        let url = try TestMedia.shared.encoded(TestSignal(frameCount: 44_100 * 60), as: "cueless", "mka", ["-c:a", "pcm_s16le", "-live", "1"])
        let bytes = try [UInt8](Data(contentsOf: url))
        var opener = FFmpegOpener()
        opener.byteLimit = Int64(bytes.count / 2)
        let reader = try opener.open(ScriptedRemote(bytes), MediaSource(.remote(url: "")), interrupt: Interrupt())
        let target: Int64 = 44_100 * 58
        #expect(try reader.seek(to: target, before: 0, after: 0) == target)
        #expect(try reader.read()?.position == target)
    }

    @Test("a medium that is measured or searched packet by packet may be longer than the budget")
    func packets() throws {
        let medium = LongMedium.variable[1], bytes = try medium.bytes()
        var opener = FFmpegOpener()
        opener.byteLimit = Int64(bytes.count * 3 / 4)
        let precise = MediaSource(.remote(url: ""), prefersPreciseDuration: true)
        let source = ScriptedRemote(bytes)
        source.blockSize = 16_384
        let reader = try opener.open(source, precise, interrupt: Interrupt())
        #expect(abs((reader.duration.seconds ?? 0) - Double(LongMedium.seconds)) < 0.1)
        #expect(source.byteCount >= bytes.count)
        let target = Int64(medium.rate * (LongMedium.seconds - 2))
        #expect(try reader.seek(to: target, before: 0, after: 0) == target)
        #expect(try reader.read()?.position == target)
    }
}
