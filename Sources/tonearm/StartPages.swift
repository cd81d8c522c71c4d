import CLinux
import Glibc

/// Gives the kernel back the pages of programs and libraries that only the start has needed.
///
/// The dynamic linker reads the tables of some hundred libraries that FFmpeg brings, and the runtime its metadata; none of that is looked at again, but it
/// counts as this process's memory as long as it is mapped. What is needed after all comes back from the page cache at its next use.
enum StartPages {
    /// Any thread; takes about a millisecond.
    static func giveBack() { _ = dl_iterate_phdr(giveBackSegments, nil) }
}

/// Called for each loaded object, with the linker's lock held: none can be unloaded meanwhile. Only segments that were never writable are given back, as
/// those hold nothing but what is in the file.
private func giveBackSegments(_ object: UnsafeMutablePointer<dl_phdr_info>?, _ size: Int, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let object, let headers = object.pointee.dlpi_phdr else { return 0 }
    let segments = UnsafeBufferPointer(start: headers, count: Int(object.pointee.dlpi_phnum))
    guard !segments.contains(where: { $0.p_type == PT_DYNAMIC && hasRelocatedText($0, object.pointee.dlpi_addr) }) else { return 0 }
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    for segment in segments where segment.p_type == PT_LOAD && segment.p_flags & UInt32(PF_W) == 0 {
        // Whole pages alone: the first and the last may be shared with what is writable.
        let start = (UInt(object.pointee.dlpi_addr &+ segment.p_vaddr) &+ page &- 1) / page &* page
        let end = UInt(object.pointee.dlpi_addr &+ segment.p_vaddr &+ segment.p_memsz) / page &* page
        guard start < end, let address = UnsafeMutableRawPointer(bitPattern: start) else { continue }
        madvise(address, Int(end - start), MADV_DONTNEED)
    }
    return 0
}

/// Whether the linker has written into the object's read-only segments (DT_TEXTREL, elf(5)).
private func hasRelocatedText(_ dynamic: Elf64_Phdr, _ base: Elf64_Addr) -> Bool {
    guard var entry = UnsafePointer<Elf64_Dyn>(bitPattern: UInt(base &+ dynamic.p_vaddr)) else { return true }
    while entry.pointee.d_tag != DT_NULL {
        if entry.pointee.d_tag == DT_TEXTREL { return true }
        if entry.pointee.d_tag == DT_FLAGS, entry.pointee.d_un.d_val & UInt64(DF_TEXTREL) != 0 { return true }
        entry += 1
    }
    return false
}
