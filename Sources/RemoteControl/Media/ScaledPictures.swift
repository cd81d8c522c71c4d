import PlaybackEngine
import Synchronization

/// Scales the pictures of items, one at a time on a queue of its own, and caches the scaled pictures. The cache is useful because all clients request
/// the picture of a new item, most of them in the same size. Any thread may request a scaled picture.
final class ScaledPictures: Sendable {
    /// The permitted sizes, in pixels, of the longer side of a scaled picture.
    static let sizes = 16...2048
    /// The maximum size of all cached pictures, in bytes, and the maximum number of cached results. The latest scaled picture is always stored.
    static let capacity = 4 << 20
    static let maximumCount = 256
    /// The maximum number of requests for a scaled picture that are under way or waiting: in total, and for one client.
    static let maximumPending = 16
    static let maximumPendingOfOne = 4

    struct Key: Hashable {
        var item: String
        var size: Int
    }
    typealias Answer = Result<Artwork, Problem>

    /// The cached results of scaling, beginning with the least recently used. A failure to scale is cached too, so that a repeated request does not
    /// repeat the attempt.
    private struct Results {
        var answers: [(key: Key, answer: Answer)] = []

        mutating func answer(for key: Key) -> Answer? {
            guard let index = answers.firstIndex(where: { $0.key == key }) else { return nil }
            let found = answers.remove(at: index)
            answers.append(found)
            return found.answer
        }
        mutating func insert(_ answer: Answer, for key: Key) {
            answers.removeAll { $0.key == key }
            answers.append((key, answer))
            while answers.count > 1, answers.count > maximumCount || byteCount > capacity { answers.removeFirst() }
        }
        private var byteCount: Int { answers.reduce(0) { $0 + ((try? $1.answer.get().data.count) ?? 0) } }
    }

    private let scaler: (any PictureScaler)?
    private let queue = FileQueue(
        "pictures", limit: maximumPending, share: maximumPendingOfOne, refusal: "Too many pictures are being scaled.")
    private let results = Mutex(Results())

    /// Creates an empty cache of scaled pictures.
    /// - Parameter scaler: The scaler of pictures; nil if the server does not scale pictures.
    init(scaler: (any PictureScaler)?) { self.scaler = scaler }

    /// Returns the picture of an item, with at most `size` pixels on its longer side.
    ///
    /// Throws `artworkNotScalable` if the picture cannot be scaled. Throws `tooManyRequests` if too many requests are waiting, or if `original` no
    /// longer has the picture.
    ///
    /// - Parameters:
    ///   - client: The client (`HTTPPeer.network`) whose share of the queue the call uses; nil if the call uses no share.
    ///   - original: The function that returns the picture in its original size. It is called, on any thread, only when the request is the next to be
    ///     processed, so that waiting requests hold no picture.
    func picture(
        of item: String, size: Int, for client: String?, original: @escaping @Sendable () -> Artwork?
    ) async throws(Problem) -> Artwork {
        let key = Key(item: item, size: size)
        if let known = results.withLock({ $0.answer(for: key) }) { return try known.get() }
        return try await queue.run(for: client) { [self] () throws(Problem) -> Artwork in
            // An earlier request may have produced the scaled picture while this request waited.
            if let known = results.withLock({ $0.answer(for: key) }) { return try known.get() }
            guard let picture = original() else {
                var problem = Problem(
                    .tooManyRequests, "Too many pictures are requested at once. This picture is no longer in the cache: repeat the request.")
                problem.retryAfter = 1
                throw problem
            }
            let answer = scale(picture, toFit: size)
            // A picture that scaling does not change is not cached here, because the original picture is cached elsewhere.
            if (try? answer.get()) != picture { results.withLock { $0.insert(answer, for: key) } }
            return try answer.get()
        }
    }

    /// Returns a scaled picture from the cache; nil if the cache does not contain the picture, or if the picture cannot be scaled.
    func known(_ item: String, size: Int) -> Artwork? { results.withLock { try? $0.answer(for: Key(item: item, size: size))?.get() } }

    private func scale(_ picture: Artwork, toFit size: Int) -> Answer {
        guard let scaler else { return .failure(Problem(.artworkNotScalable, "This server does not scale pictures.")) }
        do throws(PlaybackError) {
            return .success(try scaler.scaled(picture, toFit: size))
        } catch {
            return .failure(Problem(.artworkNotScalable, error.message))
        }
    }
}
