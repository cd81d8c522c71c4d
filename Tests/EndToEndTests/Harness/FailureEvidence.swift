import Foundation
import PlaybackTesting
import Synchronization
import Testing

/// Keeps what a failed test leaves behind in `.build/failures/NAME`: the logs of its daemons, the events, the recordings, the pages and its issues. The
/// folder exists from the beginning of the test, so that it is also there if the process crashes or is killed; a test that passes removes it.
///
/// A parameterized test has a folder for each of its arguments: NAME, NAME-2, NAME-3 and so on.
struct FailureEvidence: SuiteTrait, TestTrait, TestScoping {
    /// The folder of all evidence.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/failures")

    /// The number of tests that have begun, by their names.
    private static let counts = Mutex<[String: Int]>([:])

    var isRecursive: Bool { true }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        let folder = Self.newFolder(for: test)
        try? FileManager.default.removeItem(at: folder)
        // A checkout that cannot be written is no failure of the test.
        let isKept = (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
        guard isKept else { return try await function() }
        TestEvidence.use(folder.path)
        let issues = Mutex<[String]>([])
        // The text is written at each issue, because the process may be killed before the end of the test.
        let add: @Sendable (String) -> Void = { text in
            issues.withLock { issues in
                issues.append(String(text.prefix(20_000)))
                let all = [test.displayName ?? test.name] + issues
                try? Data((all.joined(separator: "\n\n") + "\n").utf8).write(to: folder.appending(path: "issues.txt"))
            }
        }
        let observer: IssueHandlingTrait = .compactMapIssues { issue in
            if issue.isFailure { add("\(issue.sourceLocation.map { "\($0.fileID):\($0.line): " } ?? "")\(issue)") }
            return issue
        }
        defer {
            TestEvidence.use(nil)
            if issues.withLock({ $0.isEmpty }) { try? FileManager.default.removeItem(at: folder) }
        }
        do {
            try await observer.provideScope(for: test, testCase: testCase, performing: function)
        } catch {
            // The framework records an error of the test after this scope, but a failed requirement at once.
            if !(error is ExpectationFailedError) { add("\(error)") }
            throw error
        }
    }

    /// Returns the folder of a test that begins, named by its suite and function.
    private static func newFolder(for test: Test) -> URL {
        // The first component is the suite of all end-to-end tests; the parentheses and labels of the function identify nothing.
        let parts = test.id.nameComponents.dropFirst().map { $0.prefix { $0 != "(" } }
        let name = String(parts.joined(separator: ".").map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "." ? $0 : "_" })
        let number = counts.withLock { counts in
            counts[name, default: 0] += 1
            return counts[name] ?? 1
        }
        return root.appending(path: number == 1 ? name : "\(name)-\(number)")
    }
}

extension Trait where Self == FailureEvidence {
    static var failureEvidence: Self { FailureEvidence() }
}
