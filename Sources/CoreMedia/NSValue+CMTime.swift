public import Foundation

// The only file of this module that needs Foundation.
//
// Foundation on Linux refuses the struct encodings that Apple's boxes have, and its NSValue cannot be subclassed. It does keep arrays of integers,
// so a time is boxed as the three 64-bit words that it is made of, a range as six and a mapping as twelve. Boxes made here are equal where all
// fields are.

extension NSValue {
    /// A box around a time. Prefer plain `[CMTime]` where the API takes it.
    public convenience init(time: CMTime) { self.init(words: time) }

    /// The time in the box; invalid where the box holds something else.
    public var timeValue: CMTime { unboxed() ?? .invalid }

    /// A box around a range.
    public convenience init(timeRange: CMTimeRange) { self.init(words: timeRange) }

    /// The range in the box; invalid where the box holds something else.
    public var timeRangeValue: CMTimeRange { unboxed() ?? .invalid }

    /// A box around a mapping.
    public convenience init(timeMapping: CMTimeMapping) { self.init(words: timeMapping) }

    /// The mapping in the box; invalid where the box holds something else.
    public var timeMappingValue: CMTimeMapping { unboxed() ?? .invalid }

    /// `value` must be made of 64-bit words without padding: any pattern of bits is then a value of it, and the other way round.
    private convenience init<Value: BitwiseCopyable>(words value: Value) {
        self.init(bytes: withUnsafeBytes(of: value) { Array($0) }, objCType: NSValue.encoding(of: Value.self))
    }

    private func unboxed<Value: BitwiseCopyable>() -> Value? {
        // Foundation leaks the string of every `objCType`, so its description, which tells the size, is asked first: that is all that safety needs.
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

// Lists of times and ranges need no boxes here. Code that takes its values out of boxes compiles all the same.

extension CMTime {
    /// The time itself, as if it came in a box.
    public var timeValue: CMTime { self }
}

extension CMTimeRange {
    /// The range itself, as if it came in a box.
    public var timeRangeValue: CMTimeRange { self }
}
