import CFFmpeg
import PlaybackEngine

/// Finds the exact length of a stream of True Audio (TTA) in Matroska. FFmpeg computes it from the container's duration, which is rounded to a
/// millisecond. If the computed length is wrong, FFmpeg's decoder refuses the last frame.
enum TrueAudioLength {
    /// Returns a decoder that accepts `packet`, which another decoder has refused; nil if no length makes a decoder accept it. The length with which
    /// the decoder has accepted the packet is stored in the demuxer's codec parameters.
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
                // The lengths within a millisecond of the stated one are tried, the nearest first. With a wrong length the packet fails at once, by
                // its checksum.
                if let decoder = try? Decoder(demuxer.decoder, parameters: parameters), try decoder.send(packet) { return decoder }
            }
        }
        note(stated)
        return nil
    }
}
