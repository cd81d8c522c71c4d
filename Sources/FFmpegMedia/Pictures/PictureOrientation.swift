/// The way in which a picture must be turned before it is shown (Exif 2.3, tag 274 "Orientation"). Browsers turn the original picture themselves; a
/// scaled picture has no Exif block, so its pixels are turned (`turn`).
struct PictureOrientation: Equatable {
    /// The number of the orientation in Exif, from 1 to 8; 1 means that the picture is shown as stored.
    let rawValue: Int

    static let stored = PictureOrientation(rawValue: 1)
    private init(rawValue: Int) { self.rawValue = rawValue }

    /// Reads the picture's orientation in the first directory of an Exif block (TIFF 6.0, section 2). The orientation is nil if the Exif block has no
    /// orientation that Exif defines.
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

    /// Whether turning the picture exchanges its width and height.
    var swapsSides: Bool { rawValue >= 5 }
    private var isMirroredAcross: Bool { [2, 3, 7, 8].contains(rawValue) }
    private var isMirroredDown: Bool { [3, 4, 6, 7].contains(rawValue) }

    /// Turns a plane of a picture's pixels while copying it. `width` and `height` are those of the plane `source`, in pixels; `size` is the size of a
    /// pixel in bytes; strides are bytes from one row to the next.
    func turn(
        _ source: UnsafePointer<UInt8>, stride sourceStride: Int, width: Int, height: Int, pixelSize size: Int,
        into target: UnsafeMutablePointer<UInt8>, stride targetStride: Int
    ) {
        // `first` is the byte offset in the source plane of the turned plane's first pixel. `stepX` and `stepY` are the distances in the source
        // plane, in bytes, for one pixel to the right and for one pixel down in the turned plane.
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
