public import Foundation

// This file is the only one of the module CoreMedia that needs Foundation.
//
// Foundation's `NSValue` on Linux rejects the type encodings of the structures that Apple's boxes contain, and cannot be subclassed. `NSValue` can
// store arrays of integers, so a time is boxed as its three 64-bit words, a time range as six words and a time mapping as twelve. Two boxes that this
// file makes are equal if all fields of the boxed values are equal.

extension NSValue {
    /// Boxes a time in an `NSValue`. Programs should use plain `[CMTime]` if a function accepts it.
    public convenience init(time: CMTime) { self.init(words: time) }

    /// The time that is boxed in the `NSValue`; invalid if the box contains another type.
    public var timeValue: CMTime { unboxed() ?? .invalid }

    /// Boxes a time range in an `NSValue`.
    public convenience init(timeRange: CMTimeRange) { self.init(words: timeRange) }

    /// The time range that is boxed in the `NSValue`; invalid if the box contains another type.
    public var timeRangeValue: CMTimeRange { unboxed() ?? .invalid }

    /// Boxes a time mapping in an `NSValue`.
    public convenience init(timeMapping: CMTimeMapping) { self.init(words: timeMapping) }

    /// The time mapping that is boxed in the `NSValue`; invalid if the box contains another type.
    public var timeMappingValue: CMTimeMapping { unboxed() ?? .invalid }

    /// Boxes a value in an `NSValue`. The boxed value must consist of 64-bit words without padding, so that every bit pattern is a valid value of its
    /// type.
    private convenience init<Value: BitwiseCopyable>(words value: Value) {
        self.init(bytes: withUnsafeBytes(of: value) { Array($0) }, objCType: NSValue.encoding(of: Value.self))
    }

    private func unboxed<Value: BitwiseCopyable>() -> Value? {
        // The description of the box is compared before `objCType`, because Foundation leaks the string of each call of `objCType`. The description
        // contains the size of the boxed value, and memory safety requires only the right size.
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

// In this implementation, arrays contain times and time ranges without boxes. Code that unboxes the elements of such arrays compiles too, because the
// elements have the properties `timeValue` and `timeRangeValue`.

extension CMTime {
    /// The time itself, for code that expects a boxed time.
    public var timeValue: CMTime { self }
}

extension CMTimeRange {
    /// The time range itself, for code that expects a boxed range.
    public var timeRangeValue: CMTimeRange { self }
}
