import Foundation
import Testing

@testable import tonearm

@Suite("Pages needed only by the start")
struct StartPagesTests {
    /// Returns the size of the pages of mapped files that this process has in memory, in kilobytes.
    private func residentFilePages() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /RssFile:\s+(\d+) kB/).flatMap { Int($0.1) })
    }

    @Test("the pages are returned to the kernel, and needed ones are loaded again")
    func givesBack() throws {
        let before = try residentFilePages()
        StartPages.release()
        let after = try residentFilePages()
        #expect(after < before)
        // Code on released pages still runs, because the kernel loads the pages again.
        #expect(JSONSerialization.isValidJSONObject(["a": [1, 2.5, "x"]]))
        #expect("Straße".uppercased() == "STRASSE")
    }
}
