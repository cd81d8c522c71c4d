// Operators that handle one value after the other. Those with `try` fail with the error that their function throws.

extension Publishers {
    public typealias Map<Upstream: Publisher, Output> = Operator<Upstream, Output, Upstream.Failure>
    public typealias MapKeyPath<Upstream: Publisher, Output> = Map<Upstream, Output>
    public typealias MapKeyPath2<Upstream: Publisher, A, B> = Map<Upstream, (A, B)>
    public typealias MapKeyPath3<Upstream: Publisher, A, B, C> = Map<Upstream, (A, B, C)>
    public typealias CompactMap<Upstream: Publisher, Output> = Map<Upstream, Output>
    public typealias Scan<Upstream: Publisher, Output> = Map<Upstream, Output>
    public typealias Reduce<Upstream: Publisher, Output> = Map<Upstream, Output>
    public typealias TryMap<Upstream: Publisher, Output> = Operator<Upstream, Output, any Error>
    public typealias TryCompactMap<Upstream: Publisher, Output> = TryMap<Upstream, Output>
    public typealias TryScan<Upstream: Publisher, Output> = TryMap<Upstream, Output>
    public typealias TryReduce<Upstream: Publisher, Output> = TryMap<Upstream, Output>

    public typealias Filter<Upstream: Publisher> = Map<Upstream, Upstream.Output>
    public typealias RemoveDuplicates<Upstream: Publisher> = Filter<Upstream>
    public typealias Drop<Upstream: Publisher> = Filter<Upstream>
    public typealias DropWhile<Upstream: Publisher> = Filter<Upstream>
    public typealias PrefixWhile<Upstream: Publisher> = Filter<Upstream>
    public typealias Output<Upstream: Publisher> = Filter<Upstream>
    public typealias First<Upstream: Publisher> = Filter<Upstream>
    public typealias FirstWhere<Upstream: Publisher> = Filter<Upstream>
    public typealias Last<Upstream: Publisher> = Filter<Upstream>
    public typealias LastWhere<Upstream: Publisher> = Filter<Upstream>
    public typealias Comparison<Upstream: Publisher> = Filter<Upstream>
    public typealias ReplaceEmpty<Upstream: Publisher> = Filter<Upstream>
    public typealias TryFilter<Upstream: Publisher> = TryMap<Upstream, Upstream.Output>
    public typealias TryRemoveDuplicates<Upstream: Publisher> = TryFilter<Upstream>
    public typealias TryDropWhile<Upstream: Publisher> = TryFilter<Upstream>
    public typealias TryPrefixWhile<Upstream: Publisher> = TryFilter<Upstream>
    public typealias TryFirstWhere<Upstream: Publisher> = TryFilter<Upstream>
    public typealias TryLastWhere<Upstream: Publisher> = TryFilter<Upstream>

    public typealias Contains<Upstream: Publisher> = Map<Upstream, Bool>
    public typealias ContainsWhere<Upstream: Publisher> = Map<Upstream, Bool>
    public typealias AllSatisfy<Upstream: Publisher> = Map<Upstream, Bool>
    public typealias TryContainsWhere<Upstream: Publisher> = TryMap<Upstream, Bool>
    public typealias TryAllSatisfy<Upstream: Publisher> = TryMap<Upstream, Bool>
    public typealias Count<Upstream: Publisher> = Map<Upstream, Int>
    public typealias Collect<Upstream: Publisher> = Map<Upstream, [Upstream.Output]>
    public typealias CollectByCount<Upstream: Publisher> = Collect<Upstream>
    public typealias IgnoreOutput<Upstream: Publisher> = Map<Upstream, Never>
}

// MARK: One value for each

extension Publisher {
    /// Sends the function's result for each value.
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> { step(Self.own) { .send(transform($0)) } }
    public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> { step({ $0 }) { .send(try transform($0)) } }

    /// Sends one property of each value.
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> { map { $0[keyPath: keyPath] } }
    /// Sends two properties of each value.
    public func map<A, B>(_ a: KeyPath<Output, A>, _ b: KeyPath<Output, B>) -> Publishers.MapKeyPath2<Self, A, B> {
        map { ($0[keyPath: a], $0[keyPath: b]) }
    }
    /// Sends three properties of each value.
    public func map<A, B, C>(
        _ a: KeyPath<Output, A>, _ b: KeyPath<Output, B>, _ c: KeyPath<Output, C>
    ) -> Publishers.MapKeyPath3<Self, A, B, C> {
        map { ($0[keyPath: a], $0[keyPath: b], $0[keyPath: c]) }
    }

    /// Sends `output` in place of nil.
    public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? { map { $0 ?? output } }

    /// Sends the function's result for the last result, at first `initialResult`, and each value.
    ///
    /// ```swift
    /// let played = finishedItems.scan(0) { count, _ in count + 1 }
    /// ```
    public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T) -> Publishers.Scan<Self, T> {
        scanning(Self.own, initialResult, nextPartialResult)
    }
    public func tryScan<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T) -> Publishers.TryScan<Self, T> {
        scanning({ $0 }, initialResult, nextPartialResult)
    }
    private func scanning<T, F: Error>(
        _ failure: @escaping (any Error) -> F, _ initial: T, _ next: @escaping (T, Output) throws -> T
    ) -> Publishers.Operator<Self, T, F> {
        steps(failure: failure) {
            var result = initial
            return Steps { value in
                result = try next(result, value)
                return .send(result)
            }
        }
    }
}

// MARK: Some of the values

extension Publisher {
    /// Sends the values that satisfy a condition.
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> { step(Self.own) { isIncluded($0) ? .send($0) : .skip } }
    public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
        step({ $0 }) { try isIncluded($0) ? .send($0) : .skip }
    }

    /// Sends the function's results that are not nil.
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        step(Self.own) { transform($0).map { .send($0) } ?? .skip }
    }
    public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
        step({ $0 }) { try transform($0).map { .send($0) } ?? .skip }
    }

    /// Sends each value unless `predicate` returns true for the last sent value and the new one.
    public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self> {
        removingDuplicates(Self.own, predicate)
    }
    public func tryRemoveDuplicates(by predicate: @escaping (Output, Output) throws -> Bool) -> Publishers.TryRemoveDuplicates<Self> {
        removingDuplicates({ $0 }, predicate)
    }
    private func removingDuplicates<F: Error>(
        _ failure: @escaping (any Error) -> F, _ predicate: @escaping (Output, Output) throws -> Bool
    ) -> Publishers.Operator<Self, Output, F> {
        steps(failure: failure) {
            var last: Output?
            return Steps { value in
                if let last, try predicate(last, value) { return .skip }
                last = value
                return .send(value)
            }
        }
    }

    /// Sends all values but the first `count`, which is not negative.
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        precondition(count >= 0, "the number of values to drop must not be negative")
        return steps(failure: Self.own) {
            var left = count
            return Steps { value in
                guard left > 0 else { return .send(value) }
                left -= 1
                return .skip
            }
        }
    }

    /// Sends the values from the first one that does not satisfy the condition.
    public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> { dropping(Self.own, predicate) }
    public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> { dropping({ $0 }, predicate) }
    private func dropping<F: Error>(
        _ failure: @escaping (any Error) -> F, _ predicate: @escaping (Output) throws -> Bool
    ) -> Publishers.Operator<Self, Output, F> {
        steps(failure: failure) {
            var drops = true
            return Steps { value in
                if drops { drops = try predicate(value) }
                return drops ? .skip : .send(value)
            }
        }
    }

    /// Finishes before the first value that does not satisfy the condition.
    public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
        step(Self.own) { predicate($0) ? .send($0) : .end(nil) }
    }
    public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
        step({ $0 }) { try predicate($0) ? .send($0) : .end(nil) }
    }

    /// Finishes after `maxLength` values, which is not negative.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> { output(in: 0..<maxLength) }
    /// Sends the value with one index, counted from 0.
    public func output(at index: Int) -> Publishers.Output<Self> { output(in: index...index) }
    /// Sends the values with some indexes, counted from 0, which are not negative.
    public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        let range = range.relative(to: 0..<Int.max)
        precondition(range.lowerBound >= 0, "an index of a value must not be negative")
        return steps(failure: Self.own, isEmpty: range.isEmpty) {
            var index = -1
            return Steps { value in
                index += 1
                return index == range.upperBound - 1 ? .end(value) : range.contains(index) ? .send(value) : .skip
            }
        }
    }

    /// Sends the completion only.
    public func ignoreOutput() -> Publishers.IgnoreOutput<Self> { steps(failure: Self.own, collects: true) { Steps { _ in .skip } } }

    /// Sends `output` if the publisher finishes without a value.
    public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        steps(failure: Self.own) {
            var isEmpty = true
            return Steps { value in
                isEmpty = false
                return .send(value)
            } last: {
                isEmpty ? output : nil
            }
        }
    }
}

extension Publisher where Output: Equatable {
    /// Sends each value that differs from the last sent one.
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}

// MARK: One value for all

extension Publisher {
    /// An operator that sends one result: when `next` returns true, otherwise when this publisher finishes, unless the result is nil.
    private func reducing<T, F: Error>(
        _ failure: @escaping (any Error) -> F, _ initial: T?, _ next: @escaping (inout T?, Output) throws -> Bool
    ) -> Publishers.Operator<Self, T, F> {
        steps(failure: failure, collects: true) {
            var result = initial
            return Steps { value in
                try next(&result, value) ? .end(result) : .skip
            } last: {
                result
            }
        }
    }

    /// Sends the function's result for all values when the publisher finishes.
    public func reduce<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T) -> Publishers.Reduce<Self, T> {
        folding(Self.own, initialResult, nextPartialResult)
    }
    public func tryReduce<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T) -> Publishers.TryReduce<Self, T> {
        folding({ $0 }, initialResult, nextPartialResult)
    }
    private func folding<T, F: Error>(
        _ failure: @escaping (any Error) -> F, _ initial: T, _ next: @escaping (T, Output) throws -> T
    ) -> Publishers.Operator<Self, T, F> {
        reducing(failure, initial) { result, value in
            if let former = result { result = try next(former, value) }
            return false
        }
    }

    /// Sends the first value, and finishes.
    ///
    /// ```swift
    /// let ready = item.publisher(for: \.status).first { $0 == .readyToPlay }
    /// ```
    public func first() -> Publishers.First<Self> { first { _ in true } }
    /// Sends the first value that satisfies the condition, and finishes.
    public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> { finding(Self.own, isFirst: true, predicate) }
    public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
        finding({ $0 }, isFirst: true, predicate)
    }

    /// Sends the last value when the publisher finishes.
    public func last() -> Publishers.Last<Self> { last { _ in true } }
    /// Sends the last value that satisfies the condition when the publisher finishes.
    public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> { finding(Self.own, isFirst: false, predicate) }
    public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
        finding({ $0 }, isFirst: false, predicate)
    }
    private func finding<F: Error>(
        _ failure: @escaping (any Error) -> F, isFirst: Bool, _ predicate: @escaping (Output) throws -> Bool
    ) -> Publishers.Operator<Self, Output, F> {
        reducing(failure, nil) { result, value in
            guard try predicate(value) else { return false }
            result = value
            return isFirst
        }
    }

    /// Sends true at the first value that satisfies the condition, or false when the publisher finishes.
    public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
        seeking(Self.own, true, predicate)
    }
    public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
        seeking({ $0 }, true, predicate)
    }
    /// Sends false at the first value that does not satisfy the condition, or true when the publisher finishes.
    public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> { seeking(Self.own, false, predicate) }
    public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> { seeking({ $0 }, false, predicate) }
    private func seeking<F: Error>(
        _ failure: @escaping (any Error) -> F, _ sought: Bool, _ predicate: @escaping (Output) throws -> Bool
    ) -> Publishers.Operator<Self, Bool, F> {
        reducing(failure, !sought) { result, value in
            guard try predicate(value) == sought else { return false }
            result = sought
            return true
        }
    }

    /// Sends the smallest value when the publisher finishes; of equal ones the first.
    public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        choosing { areInIncreasingOrder($1, $0) }
    }
    /// Sends the greatest value when the publisher finishes; of equal ones the last.
    public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        choosing { !areInIncreasingOrder($1, $0) }
    }
    /// - Parameter replaces: Gets the chosen value and a new one.
    private func choosing(_ replaces: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        reducing(Self.own, nil) { result, value in
            if let former = result, !replaces(former, value) { return false }
            result = value
            return false
        }
    }

    /// Sends the number of values when the publisher finishes.
    public func count() -> Publishers.Count<Self> { reduce(0) { count, _ in count + 1 } }

    /// Sends an array of all values when the publisher finishes.
    public func collect() -> Publishers.Collect<Self> {
        reducing(Self.own, []) { result, value in
            result?.append(value)
            return false
        }
    }

    /// Sends arrays of `count` values, which is positive; the last one may be shorter.
    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        precondition(count > 0, "the number of values to collect must be positive")
        return steps(failure: Self.own) {
            var values: [Output] = []
            return Steps { value in
                values.append(value)
                guard values.count == count else { return .skip }
                defer { values = [] }
                return .send(values)
            } last: {
                values.isEmpty ? nil : values
            }
        }
    }
}

extension Publisher where Output: Comparable {
    /// Sends the smallest value when the publisher finishes.
    public func min() -> Publishers.Comparison<Self> { min(by: <) }
    /// Sends the greatest value when the publisher finishes.
    public func max() -> Publishers.Comparison<Self> { max(by: <) }
}

extension Publisher where Output: Equatable {
    /// Sends true at the first value that equals `output`, or false when the publisher finishes.
    public func contains(_ output: Output) -> Publishers.Contains<Self> { contains { $0 == output } }
}
