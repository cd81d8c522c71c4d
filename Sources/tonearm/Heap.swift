import CLinux

/// The settings of the C library's heap, for a program that runs for months.
///
/// By default, each thread uses a heap of its own in the C library (up to eight heaps for each core). By default, a large block of memory has a
/// mapping of its own; but after such a block (of at most 32 MiB) was freed, the C library takes later blocks of up to its size from a heap.
/// Together, these two defaults would keep the memory of one large medium in the process, as unused memory between small blocks that live longer.
enum Heap {
    /// The number of heaps of the C library that all threads share.
    private static let count: Int32 = 2
    /// The size, in bytes, from which a block of memory is mapped separately, and unmapped when it is freed. Free memory of at least `largeBlock`
    /// bytes at the end of a heap is also returned to the kernel.
    private static let largeBlock: Int32 = 128 << 10

    /// Returns free memory between used blocks to the kernel (`malloc_trim(3)`). Any thread may call `trim`, which takes some milliseconds.
    static func trim() { malloc_trim(0) }

    /// Configures the C library's heap to return freed memory to the kernel (`mallopt(3)`). Must be called before another thread starts.
    static func returnFreedMemory() {
        mallopt(M_ARENA_MAX, count)
        // If the threshold for separate mappings is set explicitly, the C library does not raise it.
        mallopt(M_MMAP_THRESHOLD, largeBlock)
        mallopt(M_TRIM_THRESHOLD, largeBlock)
    }
}
