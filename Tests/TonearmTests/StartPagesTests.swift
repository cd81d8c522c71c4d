import Foundation
import Testing

@testable import tonearm

@Suite("Pages that only the start needs")
struct StartPagesTests {
    /// Kilobytes of this process's resident pages that come from files.
    private func residentFilePages() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /RssFile:\s+(\d+) kB/).flatMap { Int($0.1) })
    }

    @Test("are given back, and what is needed after all is there again")
    func givesBack() throws {
        let before = try residentFilePages()
        StartPages.giveBack()
        let after = try residentFilePages()
        #expect(after < before)
        // Code of the program, of the runtime and of libraries goes on running.
        #expect(JSONSerialization.isValidJSONObject(["a": [1, 2.5, "x"]]))
        #expect("Straße".uppercased() == "STRASSE")
    }
}
