public import Foundation
import PlaybackEngine

/// The base class of all asynchronously loaded properties, for any type of owner (`Root`) and any type of value.
open class AVAnyAsyncProperty: @unchecked Sendable {
    // `@unchecked Sendable`: the base class of asynchronous properties stores one constant, and its subclasses add only constants.
    /// The property's name in the functions that take keys as strings.
    public let key: String
    init(key: String) { self.key = key }
}

/// An asynchronously loaded property of objects of type `Root`, with any type of value.
public class AVPartialAsyncProperty<Root>: AVAnyAsyncProperty, @unchecked Sendable {
    // `@unchecked Sendable`: `AVPartialAsyncProperty` adds no stored properties to its superclass.
}

/// An asynchronously loaded property of objects of type `Root`: `.duration`, `.tracks`, `.commonMetadata`, …
public final class AVAsyncProperty<Root, Value>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
    // `@unchecked Sendable`: `AVAsyncProperty` adds one constant, which is a Sendable function.
    /// The function that returns the value of the property; nil if the property is not loaded.
    let read: @Sendable (Root) -> Value?

    /// Makes a property that needs no loading, because each object has the property's value from the beginning.
    init(_ key: String, _ read: @escaping @Sendable (Root) -> Value) {
        self.read = read
        super.init(key: key)
    }

    /// Makes a property of an asset. The property's value is derived from the description of the opened medium.
    init(_ key: String, _ read: @escaping @Sendable (Root, MediaInfo) -> Value) where Root: AVAsset {
        self.read = { asset in asset.loader.value(for: key).map { read(asset, $0) } }
        super.init(key: key)
    }

    /// The progress of loading a property (R-KEY-02). A cancelled key is reported as failed with `AVError.Code.operationCancelled`.
    public enum Status {
        case notYetLoaded
        case loading
        case loaded(Value)
        case failed(NSError)
    }
}

/// The status of a key (the name of a loadable property), in the functions that take keys as strings. Programs may compare the raw values: a value
/// greater than that of `loading` means that loading has ended (R-KEY-01).
public enum AVKeyValueStatus: Int, Sendable {
    case unknown = 0, loading, loaded, failed, cancelled
}
