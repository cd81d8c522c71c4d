import CFFmpeg
import CFFmpegLimits
import Glibc
import PlaybackEngine

// Called by FFmpeg to read a medium, on the reader's own thread.

/// Implements `AVIOContext.read_packet`.
func ioContextRead(_ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ size: Int32) -> Int32 {
    guard let opaque, let buffer, size > 0 else { return -EINVAL }
    let io = Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue()
    if io.interrupt.isRaised || CFFmpegLimits_isExceeded() != 0 { return FFmpegError.exit }
    do {
        let count = try io.source.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
        return count == 0 ? FFmpegError.endOfFile : Int32(count)
    } catch {
        io.note(error)
        return error.code == .cancelled ? FFmpegError.exit : -EIO
    }
}

/// Implements `AVIOContext.seek`.
func ioContextSeek(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
    guard let opaque else { return Int64(-EINVAL) }
    let io = Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue()
    if io.interrupt.isRaised { return Int64(FFmpegError.exit) }
    let target: Int64
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return io.source.length ?? Int64(-ENOSYS)
    case SEEK_SET: target = offset
    case SEEK_CUR: target = io.source.offset.addingReportingOverflow(offset).partialValue
    case SEEK_END:
        guard let length = io.source.length else { return Int64(-ENOSYS) }
        target = length.addingReportingOverflow(offset).partialValue
    default: return Int64(-EINVAL)
    }
    guard target >= 0 else { return Int64(-EINVAL) }
    do {
        try io.source.seek(to: target)
        return target
    } catch {
        io.note(error)
        return Int64(error.code == .cancelled ? FFmpegError.exit : -EIO)
    }
}

/// Implements `AVFormatContext.interrupt_callback`: whether FFmpeg must stop its current call.
func ioContextInterrupt(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque else { return 0 }
    return Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue().interrupt.isRaised ? 1 : 0
}

/// Implements `AVFormatContext.io_open`: refuses, so that a demuxer can open nothing but its own medium.
func ioContextRefuse(
    _ context: UnsafeMutablePointer<AVFormatContext>?, _ io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?, _ url: UnsafePointer<CChar>?,
    _ flags: Int32, _ options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    io?.pointee = nil
    return -EACCES
}
