/// An object that announces its changes, by default before each change of a `@Published` property.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher where ObjectWillChangePublisher.Failure == Never
    /// Sends before each change.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Sends before changes of the `@Published` properties, also of those of superclasses.
    public var objectWillChange: ObservableObjectPublisher {
        var properties: [any PublishedProperty] = []
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            properties += level.children.compactMap { ($0.value as? any HasPublishedProperty)?.property }
            mirror = level.superclassMirror
        }
        let publisher = properties.lazy.compactMap(\.objectWillChange).first ?? ObservableObjectPublisher()
        for property in properties where property.objectWillChange !== publisher { property.objectWillChange = publisher }
        return publisher
    }
}

/// Announces changes of an object.
public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never
    private let subject = PassthroughSubject<Void, Never>()

    public init() {}

    public func send() { subject.send() }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never { subject.receive(subscriber: subscriber) }
}

/// A property that announces its changes through its object's publisher.
protocol PublishedProperty: AnyObject {
    var objectWillChange: ObservableObjectPublisher? { get set }
}

/// A protocol independent of `Value`, so that reflection finds the property.
protocol HasPublishedProperty {
    var property: any PublishedProperty { get }
}

extension Published: HasPublishedProperty {}
