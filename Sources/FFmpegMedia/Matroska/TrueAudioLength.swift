import CFFmpeg
import PlaybackEngine

/// Finds the exact length of True Audio in Matroska: FFmpeg calculates the length from a rounded duration, and if the result is wrong, FFmpeg's
/// decoder refuses the last frame.
enum TrueAudioLength {
    /// Returns a decoder that accepts the refused `packet`; nil if it accepts the packet with no length. The accepted length is stored in the
    /// demuxer's parameters.
    static func decoder(taking packet: UnsafeMutablePointer<AVPacket>, of demuxer: Demuxer) throws(PlaybackError) -> Decoder? {
        let parameters = demuxer.parameters
        guard demuxer.codec == AV_CODEC_ID_TTA, demuxer.traits.container == .matroska else { return nil }
        guard let header = parameters.pointee.extradata, parameters.pointee.extradata_size >= 14 + 4 else { return nil }
        func note(_ length: Int64) { for index in 0..<4 { header[14 + index] = UInt8(truncatingIfNeeded: length >> (8 * Int64(index))) } }
        let stated = (0..<4).reduce(Int64(0)) { $0 | Int64(header[14 + $1]) << (8 * Int64($1)) }
        for distance in 1...(Int64(max(0, parameters.pointee.sample_rate)) / 1000 + 1) {
            for length in [stated - distance, stated + distance] where length > 0 && length <= Int64(UInt32.max) {
                if demuxer.io.interrupt.isRaised { throw .cancelled }
                note(length)
                // The lengths that differ by at most about a millisecond are tried, the nearest first. With a wrong length, the packet's checksum
                // fails.
                if let decoder = try? Decoder(demuxer.decoder, parameters: parameters), try decoder.send(packet) { return decoder }
            }
        }
        note(stated)
        return nil
    }
}
