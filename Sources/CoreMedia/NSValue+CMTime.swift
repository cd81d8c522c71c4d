public import Foundation

// Foundation's `NSValue` on Linux rejects the type encodings of these structures, and cannot be subclassed, but stores arrays of integers: three
// 64-bit words for a time, six for a range, twelve for a mapping. Boxes are equal if all fields are.

extension NSValue {
    /// Use plain `[CMTime]` if a function accepts it.
    public convenience init(time: CMTime) { self.init(words: time) }

    /// Invalid if the box contains another type.
    public var timeValue: CMTime { unboxed() ?? .invalid }

    public convenience init(timeRange: CMTimeRange) { self.init(words: timeRange) }

    /// Invalid if the box contains another type.
    public var timeRangeValue: CMTimeRange { unboxed() ?? .invalid }

    public convenience init(timeMapping: CMTimeMapping) { self.init(words: timeMapping) }

    /// Invalid if the box contains another type.
    public var timeMappingValue: CMTimeMapping { unboxed() ?? .invalid }

    /// `value` consists of 64-bit words without padding, of which every bit pattern is valid.
    private convenience init<Value: BitwiseCopyable>(words value: Value) {
        self.init(bytes: withUnsafeBytes(of: value) { Array($0) }, objCType: NSValue.encoding(of: Value.self))
    }

    private func unboxed<Value: BitwiseCopyable>() -> Value? {
        // The description is compared first, because Foundation leaks the string of each call of `objCType`. The description contains the size of the
        // value, which is all that memory safety requires.
        guard description == "\(MemoryLayout<Value>.size) bytes" || String(cString: objCType) == NSValue.encoding(of: Value.self) else { return nil }
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { memory in
            guard let address = memory.baseAddress else { return nil }
            getValue(UnsafeMutableRawPointer(address))
            return address.pointee
        }
    }

    private static func encoding<Value: BitwiseCopyable>(of type: Value.Type) -> String {
        "[\(MemoryLayout<Value>.size / MemoryLayout<Int64>.size)q]"
    }
}

// Here, arrays of times contain structures, and Apple's contain `NSValue` boxes. With these properties, code that unboxes the elements compiles too.

extension CMTime {
    /// Returns itself.
    public var timeValue: CMTime { self }
}

extension CMTimeRange {
    /// Returns itself.
    public var timeRangeValue: CMTimeRange { self }
}
