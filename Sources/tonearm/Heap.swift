import CLinux

/// The settings of the C library's heap for a program that runs for months.
///
/// By default each thread uses a heap of its own (up to eight per core). After a large block was freed, blocks up to its size are no longer mapped
/// separately, up to 32 MiB. So the memory of one large medium would stay with the process, in the gaps between small blocks that live longer.
enum Heap {
    /// The number of heaps, which all threads share.
    private static let count: Int32 = 2
    /// The size from which a block is mapped separately, and unmapped when it is freed, in bytes. This much free memory at the end of a heap is
    /// returned too.
    private static let largeBlock: Int32 = 128 << 10

    /// Returns free memory between used blocks to the kernel (`malloc_trim(3)`). Any thread; takes some milliseconds.
    static func trim() { malloc_trim(0) }

    /// Configures the heap to return freed memory to the kernel (`mallopt(3)`). Called before another thread starts.
    static func returnFreedMemory() {
        mallopt(M_ARENA_MAX, count)
        // An explicit threshold is never raised.
        mallopt(M_MMAP_THRESHOLD, largeBlock)
        mallopt(M_TRIM_THRESHOLD, largeBlock)
    }
}
