import Glibc

/// The kernel's counters (`TCP_INFO`, tcp(7)).
struct SocketTraffic {
    /// Open, or only the other end has ended its output.
    let isWritable: Bool
    let bytesReceived: UInt64
    /// Or waits to be sent.
    let hasSent: Bool

    /// Nil before Linux 4.6, and for other descriptors.
    init?(of descriptor: Int32) {
        // glibc's `tcp_info` is too short. These are offsets in the kernel's (<linux/tcp.h>), in bytes, which never change; `end` contains them all.
        let notSentBytes = 144, receivedBytes = 128, dataSegmentsSent = 156, end = 160
        let established: UInt8 = 1, closeWait: UInt8 = 8
        var size = socklen_t(end)
        let info = UnsafeMutableRawBufferPointer.allocate(byteCount: end, alignment: 8)
        defer { info.deallocate() }
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &size) == 0, size >= socklen_t(end) else { return nil }
        isWritable = info[0] == established || info[0] == closeWait
        bytesReceived = info.load(fromByteOffset: receivedBytes, as: UInt64.self)
        hasSent =
            info.load(fromByteOffset: notSentBytes, as: UInt32.self) > 0 || info.load(fromByteOffset: dataSegmentsSent, as: UInt32.self) > 0
    }
}
