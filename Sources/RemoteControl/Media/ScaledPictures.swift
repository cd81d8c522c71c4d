import Platform
import PlaybackEngine
import Synchronization

/// Scales pictures, one at a time on a queue of its own, and caches them: all clients request the picture of a new item, most in the same size.
final class ScaledPictures: Sendable {
    /// The permitted lengths of the longer side, in pixels.
    static let sizes = 16...2048
    /// The greatest total size of the cached pictures in bytes, and the greatest number of results. The latest result is always stored.
    static let capacity = 4 << 20
    static let maximumCount = 256
    /// The greatest number of requests under way or waiting: in total, and for one client.
    static let maximumPending = 16
    static let maximumPendingOfOne = 4

    struct Key: Hashable {
        var item: String
        var size: Int
    }
    typealias Answer = Result<Artwork, Problem>

    private let scaler: (any PictureScaler)?
    private let queue = FileQueue(
        "pictures", limit: maximumPending, share: maximumPendingOfOne, refusal: "Too many pictures are being scaled.")
    /// The results that were used last, failures too.
    private let results = Mutex(RecentlyUsed<Key, Answer>(maximumCount: maximumCount, maximumCost: capacity))

    /// - Parameter scaler: The scaler; nil if the server does not scale pictures.
    init(scaler: (any PictureScaler)?) { self.scaler = scaler }

    /// A picture of at most `size` pixels on its longer side. Throws `artworkNotScalable`, or `tooManyRequests` if too many are waiting or `original`
    /// returns nil.
    ///
    /// - Parameters:
    ///   - client: The client whose share of the queue is used (`HTTPPeer.network`); nil for none.
    ///   - original: The function that returns the picture; nil if it is no longer in memory. It is called, on any thread, when the request is
    ///     next, so that waiting requests keep no picture.
    func picture(
        of item: String, size: Int, for client: String?, original: @escaping @Sendable () -> Artwork?
    ) async throws(Problem) -> Artwork {
        let key = Key(item: item, size: size)
        if let known = results.withLock({ $0[key] }) { return try known.get() }
        return try await queue.run(for: client) { [self] () throws(Problem) -> Artwork in
            if let known = results.withLock({ $0[key] }) { return try known.get() }
            guard let picture = original() else {
                var problem = Problem(
                    .tooManyRequests, "Too many pictures are requested at once. This picture is no longer in the cache: repeat the request.")
                problem.retryAfter = 1
                throw problem
            }
            let answer = scale(picture, toFit: size)
            // A picture that was small enough already is not stored a second time here.
            let scaled = try? answer.get()
            if scaled != picture { results.withLock { _ = $0.insert(answer, for: key, cost: scaled?.data.count ?? 0) } }
            return try answer.get()
        }
    }

    /// The cached picture; nil also if it cannot be scaled.
    func known(_ item: String, size: Int) -> Artwork? { results.withLock { try? $0[Key(item: item, size: size)]?.get() } }

    private func scale(_ picture: Artwork, toFit size: Int) -> Answer {
        guard let scaler else { return .failure(Problem(.artworkNotScalable, "This server does not scale pictures.")) }
        do throws(PlaybackError) {
            return .success(try scaler.scaled(picture, toFit: size))
        } catch {
            return .failure(Problem(.artworkNotScalable, error.message))
        }
    }
}
