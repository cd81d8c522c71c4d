import Dispatch
import PlaybackEngine
import Synchronization

/// Truncates a picture's bytes to the requested size, and records requests.
final class FakeScaler: PictureScaler {
    struct Asked: Equatable {
        var data: [UInt8]
        var size: Int
    }
    private let state = Mutex((asked: [Asked](), failure: PlaybackError?.none, gate: DispatchSemaphore?.none))

    var asked: [Asked] { state.withLock { $0.asked } }
    /// From now on scaling fails with this error.
    func fail(_ error: PlaybackError) { state.withLock { $0.failure = error } }
    /// From now on each call waits for a signal.
    func hold(_ gate: DispatchSemaphore) { state.withLock { $0.gate = gate } }

    func scaled(_ picture: Artwork, toFit size: Int) throws(PlaybackError) -> Artwork {
        let (failure, gate) = state.withLock { state in
            state.asked.append(Asked(data: picture.data, size: size))
            return (state.failure, state.gate)
        }
        gate?.wait()
        if let failure { throw failure }
        return picture.data.count <= size ? picture : Artwork(mimeType: "image/jpeg", data: Array(picture.data.prefix(size)))
    }
}
