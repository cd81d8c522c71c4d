/// The orientation of a picture (Exif 2.3, tag 274). Browsers turn the original picture when they show it. A scaled picture has no Exif block, so its
/// pixels are turned.
struct PictureOrientation: Equatable {
    /// The value of the tag, 1 to 8; 1 means that the picture is shown as it is stored.
    let rawValue: Int

    static let stored = PictureOrientation(rawValue: 1)
    private init(rawValue: Int) { self.rawValue = rawValue }

    /// Reads the first directory of an Exif block (TIFF 6.0, section 2).
    init?(exif reader: PictureBytes) {
        let isLittle = reader.begins([0x49, 0x49, 0x2A, 0x00])
        guard isLittle || reader.begins([0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
        func number(_ at: Int, _ count: Int) -> Int? { isLittle ? reader.little(at, count) : reader.big(at, count) }
        guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
        for entry in 0..<count {
            let at = directory + 2 + 12 * entry
            guard let tag = number(at, 2), let type = number(at + 2, 2) else { return nil }
            guard tag == 274 else { continue }
            guard type == 3, let value = number(at + 8, 2), (1...8).contains(value) else { return nil }
            rawValue = value
            return
        }
        return nil
    }

    var swapsSides: Bool { rawValue >= 5 }
    private var isMirroredAcross: Bool { [2, 3, 7, 8].contains(rawValue) }
    private var isMirroredDown: Bool { [3, 4, 6, 7].contains(rawValue) }

    /// Copies a plane of `width` × `height` pixels of `size` bytes each, turned by the orientation, to `target`. Strides are in bytes.
    func turn(
        _ source: UnsafePointer<UInt8>, stride sourceStride: Int, width: Int, height: Int, pixelSize size: Int,
        into target: UnsafeMutablePointer<UInt8>, stride targetStride: Int
    ) {
        // `first` is the offset in `source` of the turned plane's first pixel; `stepX` and `stepY` lead to its next pixel to the right and down.
        let first = (isMirroredDown ? (height - 1) * sourceStride : 0) + (isMirroredAcross ? (width - 1) * size : 0)
        let across = isMirroredAcross ? -size : size, down = isMirroredDown ? -sourceStride : sourceStride
        let (stepX, stepY) = swapsSides ? (down, across) : (across, down)
        let (columns, rows) = swapsSides ? (height, width) : (width, height)
        for y in 0..<rows {
            var from = source + first + y * stepY
            var to = target + y * targetStride
            for _ in 0..<columns {
                for byte in 0..<size { to[byte] = from[byte] }
                from += stepX
                to += size
            }
        }
    }
}
