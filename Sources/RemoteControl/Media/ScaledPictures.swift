import PlaybackEngine
import Synchronization

/// Scales the pictures of items, one after the other on a queue of its own, and keeps the latest: the devices of a household ask for the same ones when the
/// item changes, and most of them for one size. Any thread.
final class ScaledPictures: Sendable {
    /// The sizes that can be asked for, pixels.
    static let sizes = 16...2048
    /// Bytes of scaled pictures that are kept, though always the one that came last, and how many results.
    static let capacity = 4 << 20
    static let maximumCount = 256
    /// How many pictures may be made or wait at once, and how many of them for one client.
    static let maximumPending = 16
    static let maximumPendingOfOne = 4

    struct Key: Hashable {
        var item: String
        var size: Int
    }
    typealias Answer = Result<Artwork, Problem>

    /// What is kept, least recently used first. A picture that cannot be scaled is kept too: who asks again costs no second attempt.
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

    /// - Parameter scaler: nil: no picture can be scaled.
    init(scaler: (any PictureScaler)?) { self.scaler = scaler }

    /// The picture of an item, with at most `size` pixels on its longer side.
    ///
    /// Errors: `artworkNotScalable`; `tooManyRequests` if too much waits already, or the picture is not at hand any more when its turn comes.
    /// - Parameters:
    ///   - client: whose share it is of (`HTTPPeer.network`); nil: nobody's.
    ///   - original: gives the picture when its turn has come, so that what waits holds none. Any thread.
    func picture(
        of item: String, size: Int, for client: String?, original: @escaping @Sendable () -> Artwork?
    ) async throws(Problem) -> Artwork {
        let key = Key(item: item, size: size)
        if let known = results.withLock({ $0.answer(for: key) }) { return try known.get() }
        return try await queue.run(for: client) { [self] () throws(Problem) -> Artwork in
            // Another request may have had it made meanwhile.
            if let known = results.withLock({ $0.answer(for: key) }) { return try known.get() }
            guard let picture = original() else {
                var problem = Problem(.tooManyRequests, "Too many pictures are asked for; this one is not at hand any more.")
                problem.retryAfter = 1
                throw problem
            }
            let answer = scale(picture, toFit: size)
            // One that is as it was would be kept twice.
            if (try? answer.get()) != picture { results.withLock { $0.insert(answer, for: key) } }
            return try answer.get()
        }
    }

    private func scale(_ picture: Artwork, toFit size: Int) -> Answer {
        guard let scaler else { return .failure(Problem(.artworkNotScalable, "This server does not scale pictures.")) }
        do throws(PlaybackError) {
            return .success(try scaler.scaled(picture, toFit: size))
        } catch {
            return .failure(Problem(.artworkNotScalable, error.message))
        }
    }
}
