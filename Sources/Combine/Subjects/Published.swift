/// A property of a class with a publisher, `$name`. The publisher `$name` sends the present value first, and then each new value before the property
/// has the new value.
@propertyWrapper public struct Published<Value> {
    private let storage: PublishedStorage<Value>

    public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    @available(*, unavailable, message: "@Published is for properties of classes")
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.set(newValue) }
    }

    /// Reads or writes the wrapped property. The compiler generates the calls of this static subscript.
    public static subscript<Object: AnyObject>(
        _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Published<Value>>
    ) -> Value {
        get { object[keyPath: storage].storage.value }
        set { object[keyPath: storage].storage.set(newValue) }
    }

    /// The publisher of the property. The setter of `projectedValue` exists only for `assign(to:)`.
    public var projectedValue: Publisher {
        get { Publisher(storage: storage) }
        nonmutating set {}
    }

    /// A publisher of the present value of a property, and then of every new value, before the property has the new value. The publisher of a
    /// property never completes.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Value
        public typealias Failure = Never
        fileprivate let storage: PublishedStorage<Value>

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            storage.subject.receive(subscriber: subscriber)
        }
    }
}

/// The storage of a published property, owned by the object that has the property.
private final class PublishedStorage<Value>: PublishedProperty {
    private let current: Guarded<Value>
    let subject: CurrentValueSubject<Value, Never>
    private let announcer = Guarded<ObservableObjectPublisher?>(nil)
    private let sources = Guarded<[AnyCancellable]>([])

    init(_ value: Value) {
        current = Guarded(value)
        subject = CurrentValueSubject(value)
    }

    var value: Value { current.withLock { $0 } }

    func set(_ value: Value) {
        announcer.withLock { $0 }?.send()
        subject.send(value)
        let former = current.withLock { current in
            defer { current = value }
            return current
        }
        _ = former
    }

    /// Keeps a source of values alive as long as the property exists.
    func keep(_ source: AnyCancellable) { sources.withLock { $0.append(source) } }

    var objectWillChange: ObservableObjectPublisher? {
        get { announcer.withLock { $0 } }
        set { announcer.withLock { $0 = newValue } }
    }
}

extension Publisher where Failure == Never {
    /// Writes every value to a published property as long as the property exists. `assign(to:)` returns no token (R-COMB-03).
    public func assign(to published: inout Published<Output>.Publisher) {
        let storage = published.storage
        storage.keep(sink { [weak storage] in storage?.set($0) })
    }
}

extension Published {
    /// The storage of the property. The object sets its publisher of announcements in this storage.
    var property: any PublishedProperty { storage }
}
