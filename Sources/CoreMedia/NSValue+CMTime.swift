public import Foundation

// The only file of this module that needs Foundation.
//
// Foundation on Linux rejects the struct encodings of Apple's boxes, and its NSValue cannot be subclassed. It does store arrays of integers. So a
// time is boxed as its three 64-bit words, a range as six and a mapping as twelve. Boxes made here are equal if all fields are equal.

extension NSValue {
    /// Boxes a time. Prefer plain `[CMTime]` if the API accepts it.
    public convenience init(time: CMTime) { self.init(words: time) }

    /// The boxed time; invalid if the box holds something else.
    public var timeValue: CMTime { unboxed() ?? .invalid }

    /// Boxes a range.
    public convenience init(timeRange: CMTimeRange) { self.init(words: timeRange) }

    /// The boxed range; invalid if the box holds something else.
    public var timeRangeValue: CMTimeRange { unboxed() ?? .invalid }

    /// Boxes a mapping.
    public convenience init(timeMapping: CMTimeMapping) { self.init(words: timeMapping) }

    /// The boxed mapping; invalid if the box holds something else.
    public var timeMappingValue: CMTimeMapping { unboxed() ?? .invalid }

    /// `value` must consist of 64-bit words without padding, so that every bit pattern is a valid value of its type.
    private convenience init<Value: BitwiseCopyable>(words value: Value) {
        self.init(bytes: withUnsafeBytes(of: value) { Array($0) }, objCType: NSValue.encoding(of: Value.self))
    }

    private func unboxed<Value: BitwiseCopyable>() -> Value? {
        // Foundation leaks the string of every `objCType`. So the description is compared first: it contains the size, which is all that memory
        // safety needs.
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

// Lists of times and ranges need no boxes here. Code that unboxes their elements compiles too.

extension CMTime {
    /// The time itself, as if it were boxed.
    public var timeValue: CMTime { self }
}

extension CMTimeRange {
    /// The range itself, as if it were boxed.
    public var timeRangeValue: CMTimeRange { self }
}
