import CFFmpeg
import PlaybackEngine

extension LengthCheck {
    /// Checks STREAMINFO of FLAC in Matroska, which a program copies unchanged with a part of the audio: the last frames or the container's duration
    /// must agree, and the file be no shorter than its header states.
    static func matroska(_ claim: Int64, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        let isWhole = segmentEnd(packets.demuxer.io.peek(0..<min(size, 4096))).map { $0 <= size } ?? false
        let duration = packets.demuxer.context.pointee.duration, rate = Int64(packets.start.format.sampleRate)
        let fits = isWhole && duration > 0 && claim - rate / 10 <= av_rescale(duration, rate, Int64(AV_TIME_BASE))
        // If there are several tracks, the last frames may belong to another one.
        let verdict = packets.demuxer.isOnlyStream ? flac(claim, packets, size) : .doubtful
        return switch verdict {
        case .confirmed where !isWhole: .doubtful
        case .doubtful where fits: .confirmed
        default: verdict
        }
    }

    /// The end of the segment by its header (RFC 9559, section 5.1); nil if it states none. A size of ones is unknown (RFC 8794, section 6.2).
    private static func segmentEnd(_ bytes: [UInt8]) -> Int64? {
        func size(at offset: Int) -> (value: Int64, end: Int)? {
            guard offset < bytes.count, bytes[offset] != 0 else { return nil }
            let width = bytes[offset].leadingZeroBitCount + 1, end = offset + width
            guard end <= bytes.count else { return nil }
            let value = bytes[offset..<end].reduce(Int64(0)) { $0 << 8 | Int64($1) } & (1 << (7 * Int64(width)) - 1)
            return value < 1 << (7 * Int64(width)) - 1 ? (value, end) : nil
        }
        guard let header = size(at: 4), header.value < 4096 - 4 else { return nil }
        let segment = header.end + Int(header.value)
        guard segment + 4 <= bytes.count, Array(bytes[segment..<segment + 4]) == [0x18, 0x53, 0x80, 0x67] else { return nil }
        return size(at: segment + 4).map { Int64($0.end) + $0.value }
    }
}

/// Finds the exact length of True Audio in Matroska. FFmpeg's length comes from a rounded duration, and if it is wrong, its decoder refuses
/// the last frame.
enum TrueAudioLength {
    /// A decoder that accepts the refused `packet`; nil if no length is accepted. The accepted one is stored in the demuxer's parameters.
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
                // All lengths within a millisecond are tried, the nearest first; a wrong one fails by the packet's checksum.
                if let decoder = try? Decoder(demuxer.decoder, parameters: parameters), try decoder.send(packet) { return decoder }
            }
        }
        note(stated)
        return nil
    }
}
