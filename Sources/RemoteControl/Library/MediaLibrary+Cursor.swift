import Platform

extension MediaLibrary {
    /// The name after which a page of a listing begins. The entry need not exist any more.
    struct Cursor: Sendable {
        /// Percent-encoded; a slash after it marks a directory.
        let text: String
        private let name: [UInt8]
        private let isMarked: Bool
        /// Nil if the text does not decide it.
        private let isFolder: Bool?

        init(_ place: FirstNames.Place) {
            name = place.name.exact
            isMarked = place.isFolder
            isFolder = place.isFolder
            text = PercentEncoding.encoded(name, keeping: PercentEncoding.isUnreserved) + (isMarked ? "/" : "")
        }

        /// `next` of a page, or a percent-encoded name.
        init?(_ text: String) {
            let isMarked = text.utf8.last == UInt8(ascii: "/")
            let encoded = text.utf8.dropLast(isMarked ? 1 : 0)
            guard encoded.allSatisfy({ PercentEncoding.isUnreserved($0) || "%!$&'()*+,;=:@".utf8.contains($0) }),
                let name = PercentEncoding.decodedBytes(Substring(encoded)), (1...AbsolutePath.maximumNameLength).contains(name.count),
                !name.contains(0), !name.contains(UInt8(ascii: "/"))
            else { return nil }
            self.text = text
            self.name = name
            self.isMarked = isMarked
            isFolder = isMarked ? true : MediaExtension.kind(name) == nil ? true : nil
        }

        /// The name counts as a folder if it is marked as one, if `real`, without links, has such a folder now, or if no media file can have it. May
        /// block.
        func place(in real: AbsolutePath) -> FirstNames.Place {
            let isFolder = isFolder ?? (PathConfinement.kind(of: real.appending(name)) == .directory)
            return FirstNames.Place(isFolder: isFolder, name: NaturalOrder.Key(name))
        }
    }
}
