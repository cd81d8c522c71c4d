/// A property with a publisher `$name`: the present value, and then each new one before the property has it.
@propertyWrapper public struct Published<Value> {
    private let storage: PublishedStorage<Value>

    public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    @available(*, unavailable, message: "@Published is for properties of classes")
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.set(newValue) }
    }

    /// The compiler calls it for each access to the property.
    public static subscript<Object: AnyObject>(
        _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Published<Value>>
    ) -> Value {
        get { object[keyPath: storage].storage.value }
        set { object[keyPath: storage].storage.set(newValue) }
    }

    /// The setter does nothing; it exists only for `assign(to:)`.
    public var projectedValue: Publisher {
        get { Publisher(storage: storage) }
        nonmutating set {}
    }

    /// The present value, and then each new one before the property has it; never completes.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Value
        public typealias Failure = Never
        fileprivate let storage: PublishedStorage<Value>

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            storage.subject.receive(subscriber: subscriber)
        }
    }
}

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

    func keep(_ source: AnyCancellable) { sources.withLock { $0.append(source) } }

    var objectWillChange: ObservableObjectPublisher? {
        get { announcer.withLock { $0 } }
        set { announcer.withLock { $0 = newValue } }
    }
}

extension Publisher where Failure == Never {
    /// Writes the values to a `@Published` property as long as the property exists, without a token (R-COMB-03).
    public func assign(to published: inout Published<Output>.Publisher) {
        let storage = published.storage
        storage.keep(sink { [weak storage] in storage?.set($0) })
    }
}

extension Published {
    /// The storage, in which the object sets its publisher.
    var property: any PublishedProperty { storage }
}
