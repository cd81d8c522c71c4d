import Platform
import Testing

@testable import Playlist

/// The steps that change one order of entries into another, applied as a client applies them.
@Suite struct QueueDifferenceTests {
    private static func steps(_ old: [String], _ new: [String]) -> [QueueDifference.Step]? {
        QueueDifference(from: old, count: new.count, index: new.firstIndex(of:))?.steps
    }

    /// Applies the steps to a copy of the old order. Inserted entries are copied from the new order, as a client reads them from the server.
    private static func applied(_ steps: [QueueDifference.Step], to old: [String], _ new: [String]) -> [String] {
        var copy = old
        for step in steps {
            switch step {
            case .remove(let index, let count): copy.removeSubrange(index..<(index + count))
            case .insert(let index, let count): copy.insert(contentsOf: new[index..<(index + count)], at: index)
            case .move(let index, let count, let target):
                let moved = Array(copy[index..<(index + count)])
                copy.removeSubrange(index..<(index + count))
                copy.insert(contentsOf: moved, at: target)
            }
        }
        return copy
    }

    private static let names = (0..<10).map(String.init)

    @Test("equal orders have no steps")
    func equal() { #expect(Self.steps(Self.names, Self.names) == []) }

    @Test("an entry that moves far is one step, in both directions, and the others stay", arguments: [(9, 3), (3, 9), (0, 1), (8, 0)])
    func single(from: Int, to: Int) {
        var new = Self.names
        new.insert(new.remove(at: from), at: to)
        let steps = Self.steps(Self.names, new)
        #expect(steps?.count == 1)
        if abs(from - to) > 1 { #expect(steps == [.move(index: from, count: 1, to: to)]) }
        #expect(steps.map { Self.applied($0, to: Self.names, new) } == new)
    }

    @Test("another list is one removal and one insertion")
    func replaced() { #expect(Self.steps(["a", "b"], ["c"]) == [.remove(index: 0, count: 2), .insert(index: 0, count: 1)]) }

    @Test("consecutive entries that move together are one step")
    func block() {
        let new = ["5", "6", "7", "0", "1", "2", "3", "4", "8", "9"]
        #expect(Self.steps(Self.names, new) == [.move(index: 5, count: 3, to: 0)])
    }

    @Test("the steps turn any order into any other", arguments: 1...200)
    func anything(seed: UInt64) {
        var generator = SplitMix64(state: seed)
        let old = (0..<Int.random(in: 0...40, using: &generator)).map(String.init)
        var new = old.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
        for _ in 0..<Int.random(in: 0...6, using: &generator) where !new.isEmpty {
            let id = new.remove(at: Int.random(in: new.indices, using: &generator))
            new.insert(id, at: Int.random(in: 0...new.count, using: &generator))
        }
        for number in 0..<Int.random(in: 0...6, using: &generator) {
            new.insert("n\(number)", at: Int.random(in: 0...new.count, using: &generator))
        }
        if seed % 5 == 0 { new.shuffle(using: &generator) }
        let steps = Self.steps(old, new)
        #expect(steps.map { Self.applied($0, to: old, new) } == new)
    }

    @Test("a difference with more steps than the limit is not named, nor is one of ten thousand shuffled entries")
    func tooMany() {
        let old = (0..<1000).map(String.init)
        #expect(Self.steps(old, old.filter { Int($0)! % 2 == 0 }) == nil)
        var generator = SplitMix64(state: 1)
        let many = (0..<10_000).map(String.init)
        let new = many.shuffled(using: &generator)
        let positions = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1, $0) })
        #expect(QueueDifference(from: many, count: new.count, index: { positions[$0] }) == nil)
    }
}
