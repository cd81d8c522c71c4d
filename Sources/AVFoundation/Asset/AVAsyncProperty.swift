public import Foundation
import PlaybackEngine

/// The base of asynchronously loaded properties, for any owner and value.
open class AVAnyAsyncProperty: @unchecked Sendable {
    // `@unchecked Sendable`: it stores one constant, and its subclasses add only constants.
    public let key: String
    init(key: String) { self.key = key }
}

/// A property of objects of type `Root`, with any type of value.
public class AVPartialAsyncProperty<Root>: AVAnyAsyncProperty, @unchecked Sendable {
    // `@unchecked Sendable`: the class has no stored properties.
}

/// A property of objects of type `Root`: `.duration`, `.tracks`, `.commonMetadata`, …
public final class AVAsyncProperty<Root, Value>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
    // `@unchecked Sendable`: the only stored property is a constant, a Sendable function. The function returns nil if the property is not loaded.
    let read: @Sendable (Root) -> Value?

    /// Makes a property whose value is known without loading.
    init(_ key: String, _ read: @escaping @Sendable (Root) -> Value) {
        self.read = read
        super.init(key: key)
    }

    /// Makes a property whose value is derived from the description of the opened medium.
    init(_ key: String, _ read: @escaping @Sendable (Root, MediaInfo) -> Value) where Root: AVAsset {
        self.read = { asset in asset.loader.value(for: key).map { read(asset, $0) } }
        super.init(key: key)
    }

    /// A cancelled key counts as failed with `AVError.Code.operationCancelled` (R-KEY-02).
    public enum Status {
        case notYetLoaded
        case loading
        case loaded(Value)
        case failed(NSError)
    }
}

/// The status of a key. Programs may compare raw values: above that of `loading`, loading has ended (R-KEY-01).
public enum AVKeyValueStatus: Int, Sendable {
    case unknown = 0, loading, loaded, failed, cancelled
}
