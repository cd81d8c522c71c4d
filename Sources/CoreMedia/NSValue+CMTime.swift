public import Foundation

// The only file of this module that needs Foundation.
//
// Foundation's `NSValue` on Linux rejects the type encodings of the structures that Apple's boxes contain, and it cannot be subclassed. But it can
// store arrays of integers. So a time is boxed as its three 64-bit words, a range as six and a mapping as twelve. Boxes made here are equal if all
// fields are equal.

extension NSValue {
    /// Boxes a time. Prefer plain `[CMTime]` if the API accepts it.
    public convenience init(time: CMTime) { self.init(words: time) }

    /// The boxed time; invalid if the box contains another type.
    public var timeValue: CMTime { unboxed() ?? .invalid }

    /// Boxes a range.
    public convenience init(timeRange: CMTimeRange) { self.init(words: timeRange) }

    /// The boxed range; invalid if the box contains another type.
    public var timeRangeValue: CMTimeRange { unboxed() ?? .invalid }

    /// Boxes a mapping.
    public convenience init(timeMapping: CMTimeMapping) { self.init(words: timeMapping) }

    /// The boxed mapping; invalid if the box contains another type.
    public var timeMappingValue: CMTimeMapping { unboxed() ?? .invalid }

    /// Boxes a value, which must consist of 64-bit words without padding, so that every bit pattern is a valid value of its type.
    private convenience init<Value: BitwiseCopyable>(words value: Value) {
        self.init(bytes: withUnsafeBytes(of: value) { Array($0) }, objCType: NSValue.encoding(of: Value.self))
    }

    private func unboxed<Value: BitwiseCopyable>() -> Value? {
        // Foundation leaks the string of each call of `objCType`. So the description is compared first: it contains the size of the boxed value, and
        // memory safety needs no more than the size.
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

// In this module, arrays contain times and ranges without boxes. These properties let code compile that unboxes the elements of such arrays.

extension CMTime {
    /// The time itself, for code that expects a boxed time.
    public var timeValue: CMTime { self }
}

extension CMTimeRange {
    /// The range itself, for code that expects a boxed range.
    public var timeRangeValue: CMTimeRange { self }
}
