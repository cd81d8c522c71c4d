import CLinux

/// The settings of the C library's heap for a program that runs for months.
///
/// By default each thread fills a heap of its own (up to eight for a core), and a large piece that is freed raises the size from which pieces are mapped
/// alone, up to 32 MiB. Memory that one large medium has needed then stays with the process, in the gaps between small pieces that live longer.
enum Heap {
    /// Heaps that all threads share.
    private static let count: Int32 = 2
    /// Bytes: a piece of this size is mapped alone and unmapped when it is freed; as much free memory at a heap's end goes back to the kernel.
    private static let largePiece: Int32 = 128 << 10

    /// Returns free memory between used blocks to the kernel (`malloc_trim(3)`). Any thread; takes some milliseconds.
    static func trim() { malloc_trim(0) }

    /// Has memory go back to the kernel when it is freed (`mallopt(3)`). Before the first other thread.
    static func returnFreedMemory() {
        mallopt(M_ARENA_MAX, count)
        // To set it keeps it from being raised.
        mallopt(M_MMAP_THRESHOLD, largePiece)
        mallopt(M_TRIM_THRESHOLD, largePiece)
    }
}
