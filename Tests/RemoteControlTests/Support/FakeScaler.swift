import Dispatch
import PlaybackEngine
import Synchronization

/// A fake picture scaler. It cuts the bytes of a picture to the requested number, and records the requests.
final class FakeScaler: PictureScaler {
    struct Asked: Equatable {
        var data: [UInt8]
        var size: Int
    }
    private let state = Mutex((asked: [Asked](), failure: PlaybackError?.none, gate: DispatchSemaphore?.none))

    var asked: [Asked] { state.withLock { $0.asked } }
    /// Makes all later requests fail with this error.
    func fail(_ error: PlaybackError) { state.withLock { $0.failure = error } }
    /// Makes each later request wait for a signal of the semaphore.
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
