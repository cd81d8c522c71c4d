/// Counts the bytes of a stream without container that belong to no compressed frame, and estimates how many samples were lost with them.
struct InvalidBytes {
    /// The average size of the stream's frames, in bytes; nil if the stream has a container, which states gaps itself.
    private let meanFrameSize: Double?
    /// The number of bytes since the last valid frame that belong to no frame.
    private var count = 0
    /// The number of samples that were lost before the last packet, estimated from the invalid bytes. Bytes that belong to no frame count as lost
    /// audio only if another frame follows them: at the end of a file they are a tag.
    private(set) var gap: Int64 = 0

    init(meanFrameSize: Double?) { self.meanFrameSize = meanFrameSize }

    /// Sets the count of invalid bytes to 0, after a seek.
    mutating func reset() {
        count = 0
        gap = 0
    }

    /// Counts all bytes of a packet without a frame as invalid. Returns 0, the number of samples in such a packet.
    mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        gap = 0
        count += bytes.count
        return 0
    }

    /// Estimates from the invalid bytes before a valid frame how many samples were lost (`gap`). Begins to count again with the `trailing` invalid
    /// bytes after the frame in its packet. Returns `samples`, the number of samples in the frame.
    mutating func accept(frame samples: Int64, trailing: Int) -> Int64 {
        gap = 0
        if let meanFrameSize, meanFrameSize > 0, count > 0 { gap = Int64(bounded: (Double(count) / meanFrameSize).rounded() * Double(samples)) }
        count = trailing
        return samples
    }
}
