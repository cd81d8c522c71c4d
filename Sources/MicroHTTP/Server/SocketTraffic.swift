import Glibc

/// The kernel's counters of one TCP connection (`TCP_INFO`, tcp(7)).
struct SocketTraffic {
    /// Whether bytes can still be sent on the TCP connection: it is open, or only the other end has ended its output.
    let isWritable: Bool
    let bytesReceived: UInt64
    /// Whether any byte was sent on the TCP connection, or waits to be sent.
    let hasSent: Bool

    /// Reads the kernel's counters of a TCP connection; nil if the kernel has no such counters (before Linux 4.6), or if the descriptor is not a TCP
    /// socket.
    init?(of descriptor: Int32) {
        // glibc's structure `tcp_info` is too short to contain these counters. The numbers are their offsets in the kernel's structure
        // (<linux/tcp.h>), in bytes, which never change; `end` is the size that contains them all.
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
