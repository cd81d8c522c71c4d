import PlaybackEngine
import Synchronization

/// Opens one medium, then releases its place in the pool.
final class PlacedOpener: MediaOpener {
    private let opener: any MediaOpener
    private let place: Mutex<PlacePool.Place?>

    init(opener: any MediaOpener, place: PlacePool.Place) {
        self.opener = opener
        self.place = Mutex(place)
    }

    func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        defer { place.withLock { $0 = nil } }
        return try opener.open(source, interrupt: interrupt)
    }
}
