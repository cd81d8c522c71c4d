/// The kind of the frames in a run: consecutive frames of MPEG audio or ADTS of one version, layer and sample rate, without bytes between them.
///
/// The frames of a run have the same number of samples, and each header states the size of its frame. Frames in free format belong to no run, because
/// their header states no size.
struct FrameRun: Equatable {
    let isADTS: Bool
    /// The bits of the second and third byte that the headers of the run have in common (the first byte of a header is 0xFF).
    private let second: UInt8
    private let third: UInt8
    /// The number of raw data blocks of an ADTS frame minus one.
    private let blocks: UInt8
    /// The sizes of unpadded MPEG audio frames by the code of the bit rate, in bytes; 0 for codes without a size.
    private let sizes: [Int32]
    private let padding: Int32

    /// The number of bytes from the start of a frame that `size` reads.
    static let headerSize = 7
    /// The size of the largest frame, in bytes: an ADTS header states the size in 13 bits.
    static let largestFrame = 8191

    /// Makes the run of the frame whose header is at the start of `bytes`; nil if there is no header, or if it states no size.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, isADTS: Bool) {
        guard bytes.count >= FrameRun.headerSize, let start = bytes.baseAddress else { return nil }
        self.isADTS = isADTS
        if isADTS {
            second = 0xF0
            third = bytes[2] & 0x3C
            blocks = bytes[6] & 3
            (sizes, padding) = ([], 0)
        } else {
            guard let header = MPEGAudioHeader(bytes) else { return nil }
            second = bytes[1] & 0xFE
            third = bytes[2] & 0x0C
            blocks = 0
            sizes = (0..<16).map { code in
                let unpadded: [UInt8] = [0xFF, bytes[1], UInt8(code) << 4 | bytes[2] & 0x0C, bytes[3]]
                return unpadded.withUnsafeBufferPointer { Int32(MPEGAudioHeader($0)?.frameSize ?? 0) }
            }
            padding = header.layer == 1 ? 4 : 1
        }
        guard size(at: start) > 0 else { return nil }
    }

    /// Returns the size of the frame whose header is at `start`, in bytes; 0 if there is no header of this run. Reads `headerSize` bytes.
    func size(at start: UnsafePointer<UInt8>) -> Int { sizes.withUnsafeBufferPointer { size(at: start, $0) } }

    /// Returns the index in `bytes` of the first frame after which `count` more frames of the run follow directly; nil if there is none.
    func firstFrame(in bytes: UnsafeBufferPointer<UInt8>, followedBy count: Int) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        return bytes.indices.first { index in
            guard bytes[index] == 0xFF else { return false }
            var at = index
            for _ in 0...count {
                guard at + FrameRun.headerSize <= bytes.count else { return false }
                let size = size(at: start + at)
                guard size > 0 else { return false }
                at += size
            }
            return true
        }
    }

    @inline(__always)
    fileprivate func size(at start: UnsafePointer<UInt8>, _ sizes: UnsafeBufferPointer<Int32>) -> Int {
        guard start[0] == 0xFF else { return 0 }
        if isADTS {
            guard start[1] & 0xF6 == second, start[2] & 0x3C == third, start[6] & 3 == blocks else { return 0 }
            let size = Int(start[3] & 3) << 11 | Int(start[4]) << 3 | Int(start[5]) >> 5
            return size > FrameRun.headerSize ? size : 0
        }
        guard start[1] & 0xFE == second, start[2] & 0x0C == third else { return 0 }
        let size = sizes[Int(start[2] >> 4)]
        return size > 4 ? Int(size &+ (start[2] >> 1 & 1 != 0 ? padding : 0)) : 0
    }
}

/// A walk over the headers of a run of frames, from one frame of the run on. The caller passes the bytes of the medium in any portions.
///
/// A frame counts as walked if the header of another frame of the run follows it immediately: FFmpeg divides such bytes into the same frames. The
/// walk ends before anything else (a tag, invalid bytes, free format, another sample rate).
struct FrameWalk {
    /// A walked frame.
    struct Frame: Equatable {
        /// The number of walked frames before this one.
        var number: Int64
        /// The byte offset of the frame in the medium.
        var offset: Int64
        var size: Int32
        /// The hash of the frame's bytes (`SeekIndex.digest`).
        var digest: UInt32
    }
    let run: FrameRun
    /// The byte offset of the frame after the walked ones.
    private(set) var offset: Int64
    /// The number of walked frames.
    private(set) var count: Int64 = 0
    /// The frame that was walked last; nil before the first one.
    private(set) var last: Frame?
    /// Whether the walk has ended: no frame of the run begins at `offset`, or none follows the frame at `offset`.
    private(set) var isOver = false

    /// The smallest number of bytes that `advance` needs to walk a frame of any size.
    static let window = FrameRun.largestFrame + FrameRun.headerSize

    init(_ run: FrameRun, from offset: Int64) {
        self.run = run
        self.offset = offset
    }

    /// Walks frames in `bytes`, the bytes of the medium from `offset` on, until they are used up, `limit` frames have been walked in all, or the run
    /// is over. Calls `mark` with every `spacing`th frame.
    mutating func advance(over bytes: UnsafeBufferPointer<UInt8>, limit: Int64, spacing: Int64, mark: (Frame) -> Void) {
        guard let start = bytes.baseAddress, bytes.count >= FrameRun.headerSize, !isOver else { return }
        let lastHeader = bytes.count - FrameRun.headerSize
        let walk = self
        var at = 0, before = -1, number = count, next = (count + spacing - 1) / spacing * spacing, isOver = false
        run.sizes(in: start) { size in
            var present = size(0)
            guard present > 0 else { return isOver = true }
            while number < limit, at + present <= lastHeader {
                let following = size(at + present)
                guard following > 0 else { return isOver = true }
                if number == next {
                    mark(walk.frame(number, at, present, bytes))
                    next += spacing
                }
                before = at
                at += present
                present = following
                number += 1
            }
        }
        if before >= 0 { last = frame(number - 1, before, at - before, bytes) }
        offset += Int64(at)
        count = number
        self.isOver = isOver
    }

    private func frame(_ number: Int64, _ at: Int, _ size: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Frame {
        let digest = SeekIndex.digest(UnsafeBufferPointer(rebasing: bytes[at..<(at + size)]))
        return Frame(number: number, offset: offset + Int64(at), size: Int32(size), digest: digest)
    }
}

extension FrameRun {
    /// Calls `body` with a function that returns the size of the frame at an index from `start` on.
    @inline(__always)
    fileprivate func sizes(in start: UnsafePointer<UInt8>, _ body: ((Int) -> Int) -> Void) {
        sizes.withUnsafeBufferPointer { sizes in body { size(at: start + $0, sizes) } }
    }
}
