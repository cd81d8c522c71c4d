public import Foundation
import PlaybackEngine

/// An asset, whose properties are loaded on request; tracks and metadata items conform too, but need no loading.
public protocol AVAsynchronousKeyValueLoading: AnyObject, Sendable {}

extension AVAsset: AVAsynchronousKeyValueLoading {}
extension AVAssetTrack: AVAsynchronousKeyValueLoading {}
extension AVMetadataItem: AVAsynchronousKeyValueLoading {}

extension AVAsynchronousKeyValueLoading {
    /// The status of a property. The call never starts a load (R-KEY-03).
    public func status<T>(of property: AVAsyncProperty<Self, T>) -> AVAsyncProperty<Self, T>.Status {
        switch keyState(property.key) {
        case nil: .notYetLoaded
        case .loading: .loading
        // A loaded property stays loaded, so it has a value.
        case .loaded: property.read(self).map { .loaded($0) } ?? .loading
        case .cancelled: .failed(AVError.cancelled as NSError)
        case .failed(let error): .failed(error.asAVFoundationError as NSError)
        }
    }

    /// Loads a property, or throws the error that its status would report (R-KEY-06). A loaded property needs no I/O (R-KEY-08). Cancelling the
    /// waiting task does not cancel the load, because other callers may wait for it (R-KEY-09).
    public func load<T>(_ property: AVAsyncProperty<Self, T>) async throws -> T {
        await loadKeys([property.key])
        return try loadedValue(of: property)
    }

    /// Loads all properties together, and returns the values in the order of the arguments. Throws if the loading of any property fails (R-KEY-07).
    public func load<A, B, each T>(
        _ first: AVAsyncProperty<Self, A>, _ second: AVAsyncProperty<Self, B>, _ rest: repeat AVAsyncProperty<Self, each T>
    ) async throws -> (A, B, repeat each T) {
        var keys = [first.key, second.key]
        for property in repeat each rest { keys.append(property.key) }
        await loadKeys(keys)
        return (try loadedValue(of: first), try loadedValue(of: second), repeat try loadedValue(of: each rest))
    }

    private func keyState(_ key: String) -> AssetKeys.KeyState? {
        guard let asset = self as? AVAsset else { return .loaded }
        return asset.loader.state(of: key)
    }

    private func loadKeys(_ keys: [String]) async {
        guard let asset = self as? AVAsset else { return }
        await withCheckedContinuation { continuation in
            asset.loader.load(keys) { continuation.resume() }
        }
    }

    private func loadedValue<T>(of property: AVAsyncProperty<Self, T>) throws -> T {
        if case .failed(let error)? = keyState(property.key) { throw error.asAVFoundationError }
        guard let value = property.read(self) else { throw AVError.cancelled }
        return value
    }
}

extension AVAsset {
    /// `completion` is called once, after each property was loaded, has failed or was cancelled (R-KEY-04): before the return if nothing has to be
    /// loaded (R-KEY-05), otherwise later, on any thread.
    public func loadValuesAsynchronously(forKeys keys: [String], completionHandler completion: (@Sendable () -> Void)? = nil) {
        loader.load(keys, completion: completion)
    }

    /// The status of a key. `outError` is set only if loading the key has failed (R-KEY-03).
    public func statusOfValue(forKey key: String, error outError: UnsafeMutablePointer<NSError?>? = nil) -> AVKeyValueStatus {
        switch loader.state(of: key) {
        case nil: return .unknown
        case .loading: return .loading
        case .loaded: return .loaded
        case .cancelled: return .cancelled
        case .failed(let error):
            outError?.pointee = error.asAVFoundationError as NSError
            return .failed
        }
    }
}
