import Combine
import Dispatch
import Foundation
import Testing

@Suite("Operators with a scheduler, in virtual time", .cancelsSubscriptions) struct TimeOperatorTests {
    private let source = PassthroughSubject<Int, Trouble>()
    private let clock = VirtualScheduler()
    private let trouble = Trouble(name: "late")

    @Test("delay sends values and the completion later by the interval")
    func delay() {
        let subscriber = source.delay(for: 2, scheduler: clock).recorded()
        source.send(1)
        clock.advance(by: 1)
        source.send(2)
        source.send(completion: .finished)
        #expect(subscriber.values == [])
        clock.advance(by: 1)
        #expect(subscriber.values == [1] && subscriber.completions == [])
        clock.advance(by: 1)
        #expect(subscriber.values == [1, 2] && subscriber.completions == [.finished])
    }

    @Test("delay passes its demand, and sends nothing after a cancellation")
    func delayDemand() {
        let subscriber = (1...3).publisher.delay(for: 1, scheduler: clock).recorded(.max(1))
        clock.advance(by: 1)
        #expect(subscriber.values == [1])
        subscriber.subscription?.request(.max(1))
        subscriber.subscription?.cancel()
        clock.advance(by: 1)
        #expect(subscriber.values == [1] && subscriber.completions == [])
    }

    @Test("debounce sends the value that no other follows in time")
    func debounce() {
        let subscriber = source.debounce(for: .milliseconds(300), scheduler: clock).recorded()
        source.send(1)
        clock.advance(by: 0.2)
        source.send(2)
        clock.advance(by: 0.2)
        #expect(subscriber.values == [])
        clock.advance(by: 0.1)
        #expect(subscriber.values == [2])
        source.send(3)
        source.send(completion: .finished)
        clock.advance(by: 1)
        #expect(subscriber.values == [2] && subscriber.completions == [.finished])
    }

    @Test("debounce discards values without demand, and sends nothing after a cancellation")
    func debounceDemand() {
        let subscriber = source.debounce(for: 1, scheduler: clock).recorded(.max(1))
        for value in 1...2 {
            source.send(value)
            clock.advance(by: 1)
        }
        subscriber.subscription?.request(.max(1))
        source.send(3)
        subscriber.subscription?.cancel()
        clock.advance(by: 1)
        #expect(subscriber.values == [1])
    }

    @Test("throttle sends the first value at once, then the newest or the oldest of each interval", arguments: [true, false])
    func throttle(latest: Bool) {
        let subscriber = source.throttle(for: 10, scheduler: clock, latest: latest).recorded()
        source.send(1)
        clock.advance(by: 1)
        #expect(subscriber.values == [1])
        source.send(2)
        source.send(3)
        clock.advance(by: 8)
        #expect(subscriber.values == [1])
        clock.advance(by: 1)
        #expect(subscriber.values == [1, latest ? 3 : 2])
        clock.advance(by: 20)
        source.send(4)
        clock.advance(by: 0)
        #expect(subscriber.values.last == 4)
    }

    @Test("throttle completes after the value that waits, and sends nothing after a cancellation")
    func throttleCompletion() {
        let subscriber = source.throttle(for: 10, scheduler: clock, latest: true).recorded()
        let cancelled = source.throttle(for: 10, scheduler: clock, latest: true).recorded()
        source.send(1)
        clock.advance(by: 1)
        source.send(2)
        source.send(completion: .failure(trouble))
        cancelled.subscription?.cancel()
        clock.advance(by: 1)
        #expect(subscriber.values == [1] && subscriber.completions == [])
        clock.advance(by: 8)
        #expect(subscriber.values == [1, 2] && subscriber.completions == [.failure(trouble)])
        #expect(cancelled.values == [1] && cancelled.completions == [])
    }

    @Test("timeout ends when no value has come for the interval, and cancels")
    func timeout() {
        let log = Log()
        let watched = source.handleEvents(receiveCancel: { log.add("cancelled") })
        let finished = watched.timeout(5, scheduler: clock).recorded()
        let failed = source.timeout(5, scheduler: clock, customError: { trouble }).recorded()
        clock.advance(by: 4)
        source.send(1)
        clock.advance(by: 4)
        #expect(finished.completions == [] && log.lines == [])
        clock.advance(by: 1)
        #expect(finished.values == [1] && finished.completions == [.finished] && log.lines == ["cancelled"])
        #expect(failed.values == [1] && failed.completions == [.failure(trouble)])
    }

    @Test("debounce and timeout each keep one action pending, however many values arrive")
    func pending() {
        let debounced = source.debounce(for: 3, scheduler: clock).recorded()
        let timed = source.timeout(5, scheduler: clock).recorded()
        for value in 1...100 {
            source.send(value)
            clock.advance(by: 0.1)
            #expect(clock.pendingCount == 2)
        }
        clock.advance(by: 5)
        #expect(debounced.values == [100] && timed.completions == [.finished] && clock.pendingCount == 0)
    }

    @Test("after a cancellation, no pending action keeps a value or a function alive")
    func releasing() {
        final class Token {}
        let tokens = PassthroughSubject<Token, Trouble>()
        weak var value: Token?
        weak var captured: Token?
        do {
            let (first, second) = (Token(), Token())
            (value, captured) = (first, second)
            let debounced = tokens.debounce(for: 3600, scheduler: clock).recorded()
            let timed = tokens.timeout(3600, scheduler: clock, customError: { Trouble(name: "\(second)") }).recorded(.none)
            tokens.send(first)
            #expect(debounced.values.isEmpty && value != nil)
            debounced.subscription?.cancel()
            timed.subscription?.cancel()
            clock.advance(by: 1)
        }
        #expect(value == nil && captured == nil)
    }

    @Test("subscribe(on:) subscribes, requests and cancels on its scheduler")
    func subscribing() {
        let log = Log()
        let subscriber = source.handleEvents(
            receiveSubscription: { _ in log.add("subscribe") }, receiveCancel: { log.add("cancel") },
            receiveRequest: { log.add("request \($0)") }
        ).subscribe(on: clock).recorded(.max(1))
        #expect(log.lines == [])
        clock.advance(by: 0)
        source.send(1)
        subscriber.subscription?.cancel()
        #expect(log.lines == ["subscribe", "request max(1)"] && subscriber.values == [1])
        clock.advance(by: 0)
        #expect(log.lines == ["subscribe", "request max(1)", "cancel"])
    }

    @Test("lengths of time are numbers of seconds, saturate, and convert to those of Dispatch and Foundation")
    func lengths() {
        typealias Stride = DispatchQueue.SchedulerTimeType.Stride
        #expect(Stride.seconds(1) == 1 && Stride.milliseconds(1_500) == 1.5 && Stride.microseconds(1) == .nanoseconds(1_000))
        #expect(Stride.seconds(.max) > .seconds(1) && Stride.seconds(-1e300) < .seconds(-1) && Stride(.seconds(2)) == 2)
        #expect(Stride(.never) > .seconds(1_000_000) && Stride.seconds(2).timeInterval == .nanoseconds(2_000_000_000))
        #expect(RunLoop.SchedulerTimeType.Stride(0.25).timeInterval == 0.25)
        let (date, time) = (Date(timeIntervalSinceReferenceDate: 1_000), DispatchTime(uptimeNanoseconds: 5))
        #expect(RunLoop.SchedulerTimeType(date).advanced(by: 2).date == date + 2)
        #expect(DispatchQueue.SchedulerTimeType(time).advanced(by: .nanoseconds(3)).dispatchTime.uptimeNanoseconds == 8)
        #expect(RunLoop.SchedulerTimeType(.distantFuture) > RunLoop.main.now)
    }

    @Test("queues and run loops run an action later, and repeat one until it is cancelled")
    func queues() async {
        func run<S: Scheduler>(_ scheduler: S) async {
            let stream = AsyncStream.makeStream(of: Void.self)
            let start = scheduler.now
            scheduler.schedule(after: start.advanced(by: .milliseconds(2))) { stream.continuation.yield() }
            let repeating = scheduler.schedule(after: start, interval: .milliseconds(1)) { stream.continuation.yield() }
            var count = 0
            for await _ in stream.stream {
                count += 1
                if count == 4 { break }
            }
            repeating.cancel()
            #expect(scheduler.now > start)
        }
        await run(DispatchQueue.global())
        await run(DispatchQueue.main)
        await run(OperationQueue())
    }

    @Test("a connected timer sends dates in its run loop, until it is cancelled")
    func timers() {
        var dates: [Date] = []
        let token = Timer.publish(every: 0.001, on: .current, in: .default).autoconnect().prefix(3).sink { dates.append($0) }
        while dates.count < 3 { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
        #expect(dates == dates.sorted())
        #expect(RunLoop.current.limitDate(forMode: .default) == nil)
        token.cancel()
    }

    @Test("a run loop runs an action at its time")
    func runLoop() {
        var ran = false
        let loop = RunLoop.current
        loop.schedule(after: loop.now.advanced(by: .milliseconds(1))) { ran = true }
        #expect(!ran)
        while !ran { _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    }
}
