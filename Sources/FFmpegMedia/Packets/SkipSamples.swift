import CFFmpeg

/// The numbers of samples at the start and at the end of a packet or frame that do not belong to the recording, from FFmpeg's side data.
struct SkipSamples {
    let start: Int
    let end: Int

    init?(_ packet: UnsafePointer<AVPacket>) {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size) else { return nil }
        self.init(data, size: size)
    }

    init?(_ frame: UnsafePointer<AVFrame>) {
        guard let side = av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES), let data = side.pointee.data else { return nil }
        self.init(data, size: side.pointee.size)
    }

    private init?(_ data: UnsafePointer<UInt8>, size: Int) {
        guard size >= 8 else { return nil }
        func number(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(data[at + $1]) << (8 * $1) } }
        // A hostile container may state any number of samples to skip. No encoder's delay or padding reaches 2²⁰ samples, so a number of 2²⁰ or more
        // counts as 0.
        start = number(0) < 1 << 20 ? number(0) : 0
        end = number(4) < 1 << 20 ? number(4) : 0
    }
}
