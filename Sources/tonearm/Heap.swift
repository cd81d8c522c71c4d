import CLinux

/// The C library's heap, for a program that runs for months. By default each thread has its own heap, and after a large block (up to 32 MiB) was
/// freed, blocks of up to its size come from a heap: the memory of one large medium would stay, between small blocks that live longer.
enum Heap {
    /// Shared by all threads.
    private static let count: Int32 = 2
    /// In bytes: mapped separately, and unmapped when freed; so much free memory at the end of a heap is returned too.
    private static let largeBlock: Int32 = 128 << 10

    /// `malloc_trim(3)`; any thread, some milliseconds.
    static func trim() { malloc_trim(0) }

    /// `mallopt(3)`; before another thread starts.
    static func returnFreedMemory() {
        mallopt(M_ARENA_MAX, count)
        // Set explicitly, the C library does not raise it.
        mallopt(M_MMAP_THRESHOLD, largeBlock)
        mallopt(M_TRIM_THRESHOLD, largeBlock)
    }
}
