import PlaybackTesting
import Testing

@testable import tonearm

@Suite("The last answers of a daemon that stops")
@MainActor struct LastAnswersTests {
    /// The requests of a server that wait for their answers, and whether the daemon has ended.
    @MainActor private final class Server {
        var isAnswering = false
        var hasEnded = false
    }

    private let clock = VirtualClock()
    private let scheduler: VirtualScheduler
    private let server = Server()

    init() { scheduler = VirtualScheduler(clock: clock) }

    private func answers() -> LastAnswers { LastAnswers(clock: clock, scheduler: scheduler) { [server] in server.isAnswering } }
    private func wait(_ answers: LastAnswers) { answers.wait { [server] in server.hasEnded = true } }

    @Test("without a request that waits, the daemon ends after 50 ms")
    func none() {
        wait(answers())
        scheduler.advance(by: 0.049)
        #expect(!server.hasEnded)
        scheduler.advance(by: 0.002)
        #expect(server.hasEnded)
    }

    @Test("while a request waits for its answer, the daemon does not end; after the answer it ends at once")
    func waiting() {
        server.isAnswering = true
        wait(answers())
        scheduler.advance(by: 0.3)
        #expect(!server.hasEnded)
        server.isAnswering = false
        scheduler.advance(by: 0.011)
        #expect(server.hasEnded)
    }

    @Test("a client that does not read its answer delays the end by a second")
    func limit() {
        server.isAnswering = true
        wait(answers())
        scheduler.advance(by: 0.99)
        #expect(!server.hasEnded)
        scheduler.advance(by: 0.02)
        #expect(server.hasEnded)
        #expect(scheduler.scheduledCount == 0)
    }
}
