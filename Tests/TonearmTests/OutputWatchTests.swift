import Playlist
import Testing

@testable import tonearm

@Suite("What tells that there is no output")
@MainActor struct OutputWatchTests {
    private func item(_ status: String) -> PlayerState.Item {
        PlayerState.Item(id: "e1", url: "file:///x", status: status)
    }
    private func stop(_ reason: String, origin: String) -> PlayerEvent { .rateDidChange(rate: 0, reason: reason, origin: origin) }

    @Test("the player's own stop with a sound item does, where every output can fail", arguments: [Options.Output.pulse, .file(path: "/x.wav")])
    func noOutput(choice: Options.Output) {
        for item in [nil, item("unknown"), item("readyToPlay")] {
            #expect(OutputWatch.tellsOfNoOutput(stop("setRateFailed", origin: "player"), item: item, choice: choice))
        }
    }

    @Test("an item that failed does not", arguments: [Options.Output.auto, .pulse, .null, .file(path: "/x.wav")])
    func failedItem(choice: Options.Output) {
        #expect(!OutputWatch.tellsOfNoOutput(stop("setRateFailed", origin: "player"), item: item("failed"), choice: choice))
    }

    @Test("a rate that a client cannot have does not, nor does any other stop")
    func otherStops() {
        #expect(!OutputWatch.tellsOfNoOutput(stop("setRateFailed", origin: "remote"), item: item("readyToPlay"), choice: .pulse))
        #expect(!OutputWatch.tellsOfNoOutput(stop("setRateCalled", origin: "player"), item: item("readyToPlay"), choice: .pulse))
        #expect(!OutputWatch.tellsOfNoOutput(stop("audioSessionInterrupted", origin: "player"), item: nil, choice: .pulse))
    }

    @Test("nothing does where the null output stands by, which always opens", arguments: [Options.Output.auto, .null])
    func nullOutput(choice: Options.Output) {
        #expect(!OutputWatch.tellsOfNoOutput(stop("setRateFailed", origin: "player"), item: item("readyToPlay"), choice: choice))
    }
}
