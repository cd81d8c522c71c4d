import Platform
import PlaybackEngine
import Synchronization

/// An opener that opens one medium, and then releases a slot (a permit for one of a limited number of simultaneous openings).
final class SlotReleasingOpener: MediaOpener {
    private let opener: any MediaOpener
    private let slot: Mutex<SlotPool.Slot?>

    init(opener: any MediaOpener, slot: SlotPool.Slot) {
        self.opener = opener
        self.slot = Mutex(slot)
    }

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        defer { slot.withLock { $0 = nil } }
        return try opener.open(source, interrupt: interrupt)
    }
}
