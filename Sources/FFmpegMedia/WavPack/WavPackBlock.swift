import CFFmpeg
import Glibc
import PlaybackEngine

/// The header of a WavPack block (WavPack 4 & 5 Binary File Format, section 2), which states the block's position.
struct WavPackBlock {
    /// The size of the whole WavPack block, in bytes.
    let size: Int64
    /// The number of the WavPack block's first sample, counted from the start of the stream.
    let index: Int64
    /// The number of samples in the WavPack block; 0 in a block that contains only side information.
    let samples: Int64

    static let headerSize = 32
    /// The largest size that the header of a WavPack block may state, in bytes. The stated size does not include the first 8 bytes of the block.
    static let largest: Int64 = 1 << 20

    /// Reads a WavPack header at the start of `bytes`; nil if the bytes are not a header.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= WavPackBlock.headerSize, bytes[0] == UInt8(ascii: "w"), bytes.starts(with: "wvpk".utf8) else { return nil }
        func number(_ at: Int, _ count: Int) -> Int64 { (0..<count).reduce(0) { $0 | Int64(bytes[at + $1]) << Int64(8 * $1) } }
        let version = number(8, 2), rest = number(4, 4)
        guard (0x402...0x410).contains(version), rest >= 24, rest <= WavPackBlock.largest else { return nil }
        size = rest + 8
        index = number(16, 4) | number(10, 1) << 32
        samples = number(20, 4)
        // WavPack's format itself limits the number of samples in a block.
        guard samples <= 131_072 * 8 else { return nil }
    }
}

extension WavPackBlock {
    /// Seeks to the next WavPack block in `io`, after an unreadable header; returns false if there is no further block.
    static func seekToNext(_ io: IOContext) throws(PlaybackError) -> Bool {
        guard let raw = io.raw else { return false }
        let overlap = WavPackBlock.headerSize - 1
        var start = avio_seek(raw, 0, SEEK_CUR) - Int64(overlap), bytes: [UInt8] = []
        guard start >= 0, avio_seek(raw, start, SEEK_SET) == start else { return false }
        var buffer = [UInt8](repeating: 0, count: 32_768 - overlap)
        while true {
            let count = avio_read(raw, &buffer, Int32(buffer.count))
            try io.check()
            guard count > 0 else { return false }
            bytes += buffer[..<Int(count)]
            let offset = bytes.withUnsafeBufferPointer { bytes in
                bytes.indices.dropLast(overlap).first { WavPackBlock(UnsafeBufferPointer(rebasing: bytes[$0...])) != nil }
            }
            if let offset { return avio_seek(raw, start + Int64(offset), SEEK_SET) == start + Int64(offset) }
            let passed = max(0, bytes.count - overlap)
            bytes.removeFirst(passed)
            start += Int64(passed)
        }
    }
}

/// Adds the speakers to WavPack blocks that do not name a speaker for each channel. FFmpeg refuses such a file as a whole, although only the speakers
/// are unknown; the program `wavpack` makes such files of WAV files whose channel mask is 0.
///
/// In a WavPack file of more than two channels, several blocks of one or two channels follow each other. The first of these blocks states the number
/// of channels and a mask of speakers (WavPack 4 & 5 Binary File Format, section 3).
enum WavPackChannels {
    /// The usual speakers of 3 to 8 channels, as masks of one byte.
    private static let masks: [UInt8] = [0x07, 0x33, 0x37, 0x3F, 0x7F, 0xFF]
    /// The number of bytes at the start of a medium that are searched for the number of channels.
    private static let searched: Int64 = 65_536

    /// Returns the replacements for bytes of a medium's first WavPack block, by their offsets in the medium, with which the block names the speakers
    /// of all channels. Empty if the block already names them all, or if the medium is not WavPack.
    ///
    /// - Parameter start: the byte offset of the block.
    static func patches(of source: HeadSource, at start: Int64) throws(PlaybackError) -> [Int64: UInt8] {
        guard try source.bytes(start..<(start + 4)).elementsEqual("wvpk".utf8) else { return [:] }
        let bytes = try source.bytes(start..<(start + searched))
        return bytes.withUnsafeBufferPointer { bytes in
            guard let change = change(in: bytes) else { return [:] }
            return [start + Int64(change.index): change.bytes.0, start + Int64(change.index) + 3: change.bytes.1]
        }
    }

    /// Names the speakers in a packet of WavPack blocks.
    static func complete(_ packet: UnsafeMutablePointer<AVPacket>) {
        guard let data = packet.pointee.data, packet.pointee.size > 0,
            let change = change(in: UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))),
            av_packet_make_writable(packet) >= 0, let copy = packet.pointee.data
        else { return }
        copy[change.index] = change.bytes.0
        copy[change.index + 3] = change.bytes.1
    }

    /// Returns the change of the sub-block that states the channels: its index in `bytes`, and its new first and fourth byte. Nil if all channels
    /// have a speaker, or if `bytes` contain no such sub-block.
    private static func change(in bytes: UnsafeBufferPointer<UInt8>) -> (index: Int, bytes: (UInt8, UInt8))? {
        guard let block = WavPackBlock(bytes), bytes[25] & 0x18 == 0x08 else { return nil }
        var at = WavPackBlock.headerSize
        let end = min(bytes.count, Int(block.size))
        while at + 4 <= end {
            let id = bytes[at], isLarge = id & 0x80 != 0
            let words = Int(bytes[at + 1]) | (isLarge ? Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]) << 16 : 0)
            guard id & 0x3F == 0x0D else {
                at += (isLarge ? 4 : 2) + 2 * words
                continue
            }
            // The sub-block has the number of channels, and a mask of one byte. If the bit 0x40 of its first byte is set, the mask is only padding.
            guard !isLarge, words == 1, (3...8).contains(bytes[at + 2]) else { return nil }
            let named = id & 0x40 == 0 ? bytes[at + 3].nonzeroBitCount : 0
            guard named < Int(bytes[at + 2]) else { return nil }
            return (at, (0x0D, masks[Int(bytes[at + 2]) - 3]))
        }
        return nil
    }
}
