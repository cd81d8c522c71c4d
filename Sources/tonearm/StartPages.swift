import CLinux
import Glibc

/// Returns memory pages to the kernel: pages of the program and its libraries that only the start of the program needed.
///
/// At the program's start, the dynamic linker reads the tables of FFmpeg's hundred libraries, and Swift's runtime reads its metadata. These pages are
/// hardly used again, but they count as memory of the process while they are mapped. If a released page is needed again, the kernel loads it from the
/// page cache.
enum StartPages {
    /// Releases the memory pages that only the start of the program needed. Any thread may call `release`, which takes about a millisecond.
    static func release() { _ = dl_iterate_phdr(releaseSegments, nil) }
}

/// Releases the memory segments of one loaded object (the program or a library). The dynamic linker holds its lock during the call, so that no
/// library can be unloaded. Only segments that have never been writable are released, because their whole content is also in the object's file.
private func releaseSegments(_ object: UnsafeMutablePointer<dl_phdr_info>?, _ size: Int, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let object, let headers = object.pointee.dlpi_phdr else { return 0 }
    let segments = UnsafeBufferPointer(start: headers, count: Int(object.pointee.dlpi_phnum))
    guard !segments.contains(where: { $0.p_type == PT_DYNAMIC && hasRelocatedText($0, object.pointee.dlpi_addr) }) else { return 0 }
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    for segment in segments where segment.p_type == PT_LOAD && segment.p_flags & UInt32(PF_W) == 0 {
        // Release only whole memory pages, because a writable segment may share the first and the last page of the segment.
        let start = (UInt(object.pointee.dlpi_addr &+ segment.p_vaddr) &+ page &- 1) / page &* page
        let end = UInt(object.pointee.dlpi_addr &+ segment.p_vaddr &+ segment.p_memsz) / page &* page
        guard start < end, let address = UnsafeMutableRawPointer(bitPattern: start) else { continue }
        madvise(address, Int(end - start), MADV_DONTNEED)
    }
    return 0
}

/// Whether the dynamic linker has written into read-only segments of the object (DT_TEXTREL, elf(5)).
private func hasRelocatedText(_ dynamic: Elf64_Phdr, _ base: Elf64_Addr) -> Bool {
    guard var entry = UnsafePointer<Elf64_Dyn>(bitPattern: UInt(base &+ dynamic.p_vaddr)) else { return true }
    while entry.pointee.d_tag != DT_NULL {
        if entry.pointee.d_tag == DT_TEXTREL { return true }
        if entry.pointee.d_tag == DT_FLAGS, entry.pointee.d_un.d_val & UInt64(DF_TEXTREL) != 0 { return true }
        entry += 1
    }
    return false
}
