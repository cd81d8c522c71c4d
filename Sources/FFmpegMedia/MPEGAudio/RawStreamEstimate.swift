import CFFmpeg
import Glibc

/// Estimates the length of an audio stream without container and index (MP3, ADTS) from frames at several offsets of the file. FFmpeg's own estimate
/// of the length assumes that all frames are like the first ones.
struct RawStreamEstimate {
    /// The estimated number of samples in the whole audio stream.
    let samples: Int64

    private static let windowSize = 12_288

    /// Makes the estimate of the length from `windows` offsets after `start`, the byte offset of the first frame; nil if too few frames are
    /// recognised. Estimating the length does not change the byte offset of `io`.
    init?(_ io: UnsafeMutablePointer<AVIOContext>, start: Int64, isADTS: Bool, windows: Int = 12, sampleRate: Int? = nil) {
        let before = avio_seek(io, 0, SEEK_CUR), size = avio_size(io)
        guard before >= 0, start >= 0, size > start else { return nil }
        defer { avio_seek(io, before, SEEK_SET) }
        let length = size - start
        var perByte: [Double] = []
        let count = Int(min(Int64(windows), length / Int64(RawStreamEstimate.windowSize) + 1))
        var bytes = [UInt8](repeating: 0, count: RawStreamEstimate.windowSize)
        for window in 0..<count {
            // `av_rescale_rnd` is used because the length may be any number that a byte source states, and the product could overflow.
            let middle = av_rescale_rnd(length, Int64(2 * window + 1), Int64(2 * count), AV_ROUND_DOWN)
            let offset = start + middle - Int64(RawStreamEstimate.windowSize / 2)
            guard avio_seek(io, max(start, offset), SEEK_SET) >= 0 else { return nil }
            let read = avio_read(io, &bytes, Int32(bytes.count))
            guard read > 0 else { continue }
            let density = bytes.withUnsafeBufferPointer {
                RawStreamEstimate.density(UnsafeBufferPointer(rebasing: $0[..<Int(read)]), isADTS: isADTS, sampleRate: sampleRate)
            }
            // A range of bytes without frames counts as 0 samples, because it is not audio, but a tag, a picture or damage.
            perByte.append(density ?? 0)
        }
        guard perByte.contains(where: { $0 > 0 }) else { return nil }
        samples = Int64(bounded: Double(length) * perByte.reduce(0, +) / Double(perByte.count))
    }

    /// Returns the average size, in bytes, of the MPEG audio frames at the start of `bytes`; nil if there is no complete frame.
    static func meanFrameSize(_ bytes: [UInt8]) -> Double? {
        bytes.withUnsafeBufferPointer { bytes in
            var at = 0, frames = 0
            while at < bytes.count, let frame = frame(UnsafeBufferPointer(rebasing: bytes[at...]), isADTS: false), at + frame.size <= bytes.count {
                at += frame.size
                frames += 1
            }
            return frames > 0 ? Double(at) / Double(frames) : nil
        }
    }

    /// Returns the number of samples per byte in the first run of at least four consecutive frames in `bytes`, or in a shorter run that extends to
    /// the end of `bytes`; nil if there is no such run.
    ///
    /// - Parameter sampleRate: The rate of the counted samples, in Hz; nil to count those of each frame at the frame's own rate. A decoder may double
    ///   the rate that an ADTS header states, and parts of a file may have other rates than its start.
    private static func density(_ bytes: UnsafeBufferPointer<UInt8>, isADTS: Bool, sampleRate: Int? = nil) -> Double? {
        var start = 0
        while start + 8 < bytes.count {
            var at = start, samples = 0.0, frames = 0
            while let frame = frame(UnsafeBufferPointer(rebasing: bytes[at...]), isADTS: isADTS), at + frame.size <= bytes.count {
                at += frame.size
                samples += Double(frame.samples) * (sampleRate.map { Double($0) / Double(frame.sampleRate) } ?? 1)
                frames += 1
                if at + 8 >= bytes.count { break }
            }
            if frames >= 4 || (frames > 0 && at == bytes.count) { return samples / Double(at - start) }
            start += 1
        }
        return nil
    }

    /// Returns the size of the frame whose header is at the start of `bytes`, its number of samples and its sample rate; nil if there is no header.
    static func frame(_ bytes: UnsafeBufferPointer<UInt8>, isADTS: Bool) -> (size: Int, samples: Int, sampleRate: Int)? {
        guard isADTS else {
            guard let header = MPEGAudioHeader(bytes), header.frameSize > 4 else { return nil }
            return (header.frameSize, header.samples, header.sampleRate)
        }
        // The header of ADTS (ISO 13818-7, section 6.2) has a sync word, layer 0, the code of the sample rate, a length of 13 bits, and the number of
        // blocks minus one.
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        let rate = Int(bytes[2] >> 2 & 0x0F), size = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5]) >> 5
        return size > 7 && rate < rates.count ? (size, 1024 * (Int(bytes[6] & 3) + 1), rates[rate]) : nil
    }

    /// The sample rates by their code in an ADTS header (ISO 14496-3, table 1.18), in Hz.
    private static let rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]
}
