import CFFmpeg
import PlaybackEngine

extension PacketTimeline {
    /// The number of consecutive frames that prove that audio continues after the end that a tag states.
    private static let provingFrames = 16
    /// The number of bytes that may follow the stated end without an examination: the frames of the padding, and small tags.
    private static let negligible: Int64 = 16 << 10

    /// Returns the estimated length of the recording, in frames, if its Xing or Info tag states too few frames (R-ASSET-17). Returns nil if nothing
    /// contradicts the tag. The current packet must be the one at the stated end `limit`, or a later one.
    func lengthBeyondTag(_ limit: Int64) throws(PlaybackError) -> Int64? {
        guard demuxer.traits.container == .mpegAudio, let tag = demuxer.xing, tag.isAboutWholeFile, let length = demuxer.io.source.length,
            packet.pointee.pos >= 0
        else { return nil }
        let here = packet.pointee.pos + Int64(packet.pointee.size), end = min(length, tag.bytes.map { tag.start + $0 } ?? length)
        guard here > tag.start, let run = currentRun else { return nil }
        let reached = max(limit, span.end ?? limit)
        let estimate = Int64(bounded: Double(reached) * Double(end - tag.start) / Double(here - tag.start))
        // A seek may lead so far beyond the stated end that few frames follow: then those before it are the proof.
        let frames = (reached - limit) / Int64(start.frameSize)
        let passed = Double(here - tag.start) * Double(reached - limit) / Double(max(1, reached))
        if frames >= PacketTimeline.provingFrames, passed > Double(PacketTimeline.negligible) { return estimate }
        guard end - here > PacketTimeline.negligible else { return nil }
        var next = here
        for number in 0..<PacketTimeline.provingFrames {
            guard let packet = try feed.packet(ahead: number), packet.pointee.pos == next, let data = packet.pointee.data,
                packet.pointee.size >= FrameRun.headerSize, run.size(at: data) == Int(packet.pointee.size)
            else { return nil }
            next += Int64(packet.pointee.size)
        }
        return estimate
    }
}
