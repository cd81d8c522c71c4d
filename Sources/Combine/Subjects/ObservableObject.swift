/// An object that announces its changes. By default, an announcement precedes each change of a `@Published` property.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher where ObjectWillChangePublisher.Failure == Never
    /// The publisher of the object's announcements, which sends a value before each change of the object.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Returns the publisher that sends an announcement before each change of an `@Published` property of the object, including the properties of its
    /// superclasses.
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

/// A publisher that announces the changes of an object.
public final class ObservableObjectPublisher: Publisher {
    public typealias Output = Void
    public typealias Failure = Never
    private let subject = PassthroughSubject<Void, Never>()

    public init() {}

    /// Announces a change of the object to the subscribers.
    public func send() { subject.send() }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never { subject.receive(subscriber: subscriber) }
}

/// A published property that announces its changes through its object's publisher.
protocol PublishedProperty: AnyObject {
    var objectWillChange: ObservableObjectPublisher? { get set }
}

/// The part of `Published<Value>` that does not depend on `Value`. Reflection finds the published properties of an object by this protocol.
protocol HasPublishedProperty {
    var property: any PublishedProperty { get }
}

extension Published: HasPublishedProperty {}
