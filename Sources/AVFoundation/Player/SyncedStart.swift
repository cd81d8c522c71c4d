import CoreMedia
import PlaybackEngine

/// A start that is bound to the host clock (R-SYNC-02): where the item is to be at which moment, and what is still to be done for it.
@MainActor struct SyncedStart {
    /// The item is to be at `time` at `host`, and moves at `rate` from there.
    struct Goal {
        var item: ItemID
        var time: CMTime
        var host: HostTime
        var rate: Double

        /// Where the item is to be at a moment, in seconds; it does not move before its time.
        func seconds(at moment: HostTime) -> Double { time.seconds + rate * max(0, moment - host) }
    }
    /// So exact, in seconds, is exact enough: less is not heard as two.
    static let tolerance = 0.005
    /// The first shows how long one takes, each of the others may be as late as the machine is busy; a player that never comes so close does not go on for
    /// ever.
    private static let corrections = 8
    /// A device knows its latency better a while after it was started, in seconds: then it is looked at again.
    private static let secondLook = 0.25

    private(set) var goal: Goal?
    private var action: (any ScheduledAction)?
    private var secondLook: (time: HostTime, action: any ScheduledAction)?
    private var correctionsLeft = 0
    /// Seconds from a correction to when it is heard, learnt from the one before.
    private var delay = 0.0
    /// A seek of its own is being made.
    var isSeeking = false
    private var deviceStart: HostTime?
    /// Seconds from starting the device to sound, learnt from the last start.
    private(set) var startLatency = 0.0

    mutating func begin(_ goal: Goal) {
        forget()
        self.goal = goal
        correctionsLeft = Self.corrections
    }

    mutating func wait(for action: any ScheduledAction) { self.action = action }

    /// Time is let go: nothing waits any more.
    mutating func release() {
        action?.cancel()
        action = nil
    }

    /// Something else was asked for.
    mutating func forget() {
        release()
        secondLook?.action.cancel()
        secondLook = nil
        goal = nil
        delay = 0
    }

    mutating func deviceStarts(at now: HostTime) { deviceStart = now }

    /// Sound of the item is, or will be, at `time` at `host`. Where it is too far from the goal: the place to seek to, in seconds, at `now`.
    ///
    /// - Parameter lookAgain: arranges for another call at a time.
    mutating func correction(at time: Double, _ host: HostTime, now: HostTime, lookAgain: (HostTime) -> any ScheduledAction) -> Double? {
        if let deviceStart {
            startLatency = min(2, max(0, host - deviceStart))
            self.deviceStart = nil
        }
        guard let goal else { return nil }
        let error = time - goal.seconds(at: host)
        guard abs(error) > Self.tolerance * max(1, abs(goal.rate)) else {
            if let secondLook {
                if now >= secondLook.time { forget() }
            } else {
                let time = now + Self.secondLook
                secondLook = (time, lookAgain(time))
            }
            return nil
        }
        guard correctionsLeft > 0 else {
            forget()
            return nil
        }
        // What the last correction was late by, the next one allows for.
        if correctionsLeft < Self.corrections { delay = min(2, max(0, delay - error / goal.rate)) }
        correctionsLeft -= 1
        return goal.seconds(at: now + delay)
    }
}
