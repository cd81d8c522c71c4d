public import Foundation
import PlaybackEngine

/// A property of any type of object that loads its values.
open class AVAnyAsyncProperty: @unchecked Sendable {
    // `@unchecked Sendable`: a base class; the only stored property is constant, subclasses add constants only.
    /// The property's key, as the string interface has it.
    public let key: String
    init(key: String) { self.key = key }
}

/// A property of objects of type `Root`, of any value.
public class AVPartialAsyncProperty<Root>: AVAnyAsyncProperty, @unchecked Sendable {
    // `@unchecked Sendable`: adds nothing.
}

/// A property of objects of type `Root` that has to be loaded: `.duration`, `.tracks`, `.commonMetadata`, …
public final class AVAsyncProperty<Root, Value>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
    // `@unchecked Sendable`: adds a constant, a function that captures nothing but the key.
    /// The value, nil while it is not loaded.
    let read: @Sendable (Root) -> Value?

    /// A property that every object of the type has from the start.
    init(_ key: String, _ read: @escaping @Sendable (Root) -> Value) {
        self.read = read
        super.init(key: key)
    }

    /// A property of an asset, which its medium tells.
    init(_ key: String, _ read: @escaping @Sendable (Root, MediaInfo) -> Value) where Root: AVAsset {
        self.read = { asset in asset.loader.value(for: key).map { read(asset, $0) } }
        super.init(key: key)
    }

    /// How far loading has come (R-KEY-02). A cancelled key reads as failed with `AVError.Code.operationCancelled`.
    public enum Status {
        case notYetLoaded
        case loading
        case loaded(Value)
        case failed(NSError)
    }
}

/// The status of a key in the string interface. The raw values are part of the contract: greater than `loading` is terminal (R-KEY-01).
public enum AVKeyValueStatus: Int, Sendable {
    case unknown = 0, loading, loaded, failed, cancelled
}
