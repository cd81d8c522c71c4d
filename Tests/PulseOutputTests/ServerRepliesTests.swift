import PlaybackEngine
import Testing

@testable import PulseOutput

@Suite("ServerReplies") struct ServerRepliesTests {
    private let replies = ServerReplies()

    private func send(_ purpose: TimingRequest.Purpose) {
        replies.requestWasSent(TimingRequest(purpose: purpose, sentAt: HostTime(seconds: 1)))
    }

    @Test("replies belong to the requests in their order, and one without a request is ignored")
    func order() {
        #expect(replies.replyArrived() == nil)
        send(.start)
        send(.track)
        let ticket = replies.requestCount
        #expect(replies.replyArrived()?.purpose == .start)
        #expect(!replies.isAnswered(ticket) && !replies.isComplete)
        #expect(replies.replyArrived()?.purpose == .track)
        #expect(replies.isAnswered(ticket) && replies.isComplete)
        #expect(replies.replyArrived() == nil)
    }

    @Test("replies to requests before a renumbering of the frames are out of date")
    func renumbered() {
        send(.track)
        replies.framesWereRenumbered()
        send(.track)
        _ = replies.replyArrived()
        #expect(!replies.isUpToDate)
        _ = replies.replyArrived()
        #expect(replies.isUpToDate)
    }

    @Test("new commands discard the landing and the refusal of former ones")
    func discarded() {
        replies.landed(at: 7)
        replies.commandWasRefused()
        #expect(replies.landingFrame == 7 && replies.hasRefusal)
        replies.beginCommands()
        #expect(replies.landingFrame == nil && !replies.hasRefusal)
    }
}
