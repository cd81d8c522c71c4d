import CFFmpeg
import PlaybackEngine

/// Finds the length of the last frame of True Audio (TTA) in a Matroska file. FFmpeg computes the length of the last True Audio frame from the
/// container's duration, which is rounded to a millisecond, and FFmpeg's decoder refuses a last frame of any other length.
enum TrueAudioLength {
    /// Returns a decoder of True Audio that accepts `packet`, which another decoder has refused; nil if no length makes a decoder accept it.
    /// `decoder(taking:of:)` stores the right length of the last frame in the demuxer's codec parameters.
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
                // The possible lengths of the stream are tried one after another. With a wrong length the packet fails at once, by its checksum.
                if let decoder = try? Decoder(demuxer.decoder, parameters: parameters), try decoder.send(packet) { return decoder }
            }
        }
        note(stated)
        return nil
    }
}
