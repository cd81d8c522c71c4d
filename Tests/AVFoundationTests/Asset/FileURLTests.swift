import Foundation
import Platform
import PlaybackEngine
import Testing

@testable import AVFoundation

@Suite struct FileURLTests {
    @Test(
        "the file URL of an asset names its file by bytes, which need not be UTF-8",
        arguments: [
            ("file:///m/caf%E9.flac", Array("/m/caf".utf8) + [0xE9] + Array(".flac".utf8)), ("file:///m/%C3%A9%20b", Array("/m/é b".utf8)),
        ] as [(String, [UInt8])])
    func bytes(_ text: String, _ path: [UInt8]) throws {
        let (source, failure) = MediaSource.resolving(try #require(URL(string: text)))
        #expect(source?.location == .file(FilePath(bytes: path)) && failure == nil)
    }
}
