import CFFmpeg

/// To interleaved 32-bit floats, in which integers of up to 24 bits are exact.
enum SampleConverter {
    static func supports(_ format: AVSampleFormat) -> Bool {
        format.rawValue >= AV_SAMPLE_FMT_U8.rawValue && format.rawValue < AV_SAMPLE_FMT_NB.rawValue
    }

    /// Frames `first ..< first + count`; silence if the format is not supported.
    static func convert(_ frame: UnsafePointer<AVFrame>, first: Int, count: Int, channels: Int, into output: UnsafeMutablePointer<Float>) {
        let format = AVSampleFormat(rawValue: frame.pointee.format)
        guard let planes = frame.pointee.extended_data else {
            output.update(repeating: 0, count: count * channels)
            return
        }
        switch av_get_packed_sample_fmt(format) {
        case AV_SAMPLE_FMT_U8: run(planes, format, first, count, channels, output) { (sample: UInt8) in (Float(sample) - 128) * 0x1p-7 }
        case AV_SAMPLE_FMT_S16: run(planes, format, first, count, channels, output) { (sample: Int16) in Float(sample) * 0x1p-15 }
        case AV_SAMPLE_FMT_S32: run(planes, format, first, count, channels, output) { (sample: Int32) in Float(sample) * 0x1p-31 }
        case AV_SAMPLE_FMT_S64: run(planes, format, first, count, channels, output) { (sample: Int64) in Float(sample) * 0x1p-63 }
        case AV_SAMPLE_FMT_FLT: run(planes, format, first, count, channels, output) { (sample: Float) in sample }
        case AV_SAMPLE_FMT_DBL: run(planes, format, first, count, channels, output) { (sample: Double) in Float(sample) }
        default: output.update(repeating: 0, count: count * channels)
        }
    }

    @inline(__always)
    private static func run<Sample>(
        _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, _ format: AVSampleFormat, _ first: Int, _ count: Int, _ channels: Int,
        _ output: UnsafeMutablePointer<Float>, _ float: (Sample) -> Float
    ) {
        guard av_sample_fmt_is_planar(format) != 0 else {
            guard let plane = planes[0] else { return output.update(repeating: 0, count: count * channels) }
            let input = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + first * channels
            for index in 0..<(count * channels) { output[index] = float(input[index]) }
            return
        }
        if channels == 2, let left = planes[0], let right = planes[1] {
            let left = UnsafeRawPointer(left).assumingMemoryBound(to: Sample.self) + first
            let right = UnsafeRawPointer(right).assumingMemoryBound(to: Sample.self) + first
            for index in 0..<count {
                output[2 * index] = float(left[index])
                output[2 * index + 1] = float(right[index])
            }
            return
        }
        for channel in 0..<channels {
            guard let plane = planes[channel] else {
                for index in 0..<count { output[index * channels + channel] = 0 }
                continue
            }
            let input = UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self) + first
            for index in 0..<count { output[index * channels + channel] = float(input[index]) }
        }
    }
}
