import CZlib

/// Compresses files for browsers in the gzip format.
public enum Gzip {
    /// Returns the bytes in the gzip format (RFC 1952), as small as zlib can make them; nil if zlib has not enough memory. Equal input bytes give
    /// equal compressed bytes.
    ///
    /// Compression takes about a millisecond for each 30 kB of input.
    public static func compressed(_ bytes: [UInt8]) -> [UInt8]? { compressed(bytes, level: Z_BEST_COMPRESSION) }

    /// Returns the bytes in the gzip format, compressed in the shortest time; nil if zlib has not enough memory. Used for documents that are sent
    /// only once.
    ///
    /// Compression takes about a millisecond for each 200 kB of input.
    public static func quicklyCompressed(_ bytes: [UInt8]) -> [UInt8]? { compressed(bytes, level: Z_BEST_SPEED) }

    private static func compressed(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
        var stream = z_stream()
        // The window has its maximum size. zlib takes the 16 as the request for gzip's header and trailer.
        let windowBits = MAX_WBITS + 16
        guard
            deflateInit2_(
                &stream, level, Z_DEFLATED, windowBits, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        var input = bytes
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        return Array(output[..<Int(stream.total_out)])
    }
}
