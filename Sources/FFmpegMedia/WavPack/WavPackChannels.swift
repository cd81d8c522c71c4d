import CFFmpeg
import PlaybackEngine

/// Adds the speakers of the channels to WavPack blocks that do not name them all. FFmpeg refuses such a file as a whole, although only the speakers
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
