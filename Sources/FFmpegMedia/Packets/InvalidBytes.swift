/// The bytes that belong to no frame, in a stream that has no container, and the samples that were lost with them.
struct InvalidBytes {
    /// Average frame size, in bytes; nil if the stream has a container, which states gaps itself.
    private let meanFrameSize: Double?
    /// Invalid bytes since the last valid frame.
    private var count = 0
    /// Samples that were lost before the last packet. Invalid bytes count only if another frame follows: at the end they are a tag.
    private(set) var gap: Int64 = 0

    init(meanFrameSize: Double?) { self.meanFrameSize = meanFrameSize }

    /// Discards the preceding packets' bytes, after a jump.
    mutating func reset() {
        count = 0
        gap = 0
    }

    /// Accounts for a packet without a frame; returns its samples, none.
    mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        gap = 0
        count += bytes.count
        return 0
    }

    /// Accounts for a frame, and for the `trailing` invalid bytes after it in its packet; returns the frame's samples.
    mutating func accept(frame samples: Int64, trailing: Int) -> Int64 {
        gap = 0
        if let meanFrameSize, meanFrameSize > 0, count > 0 { gap = Int64(bounded: (Double(count) / meanFrameSize).rounded() * Double(samples)) }
        count = trailing
        return samples
    }
}
