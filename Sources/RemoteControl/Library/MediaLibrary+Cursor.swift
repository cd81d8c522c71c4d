import Platform

extension MediaLibrary {
    /// The position after which a page of a listing begins: the name of an entry in the order of the listing. The entry need not exist any more.
    struct Cursor: Sendable {
        /// The percent-encoded name. A slash after it marks the name of a directory.
        let text: String
        private let name: [UInt8]
        /// Whether the text marks a directory.
        private let isMarked: Bool
        /// Whether the name is listed among the directories; nil if the text does not decide it.
        private let isFolder: Bool?

        init(_ place: FirstNames.Place) {
            name = place.name.exact
            isMarked = place.isFolder
            isFolder = place.isFolder
            text = PercentEncoding.encoded(name, keeping: PercentEncoding.isUnreserved) + (isMarked ? "/" : "")
        }

        /// Parses a cursor that a client sends: `next` of a page, or a percent-encoded name. Returns nil if the text is malformed.
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

        /// Returns the place of the cursor in the listing of a directory. The name counts as a folder if the cursor marks it as one, if the directory
        /// now has a folder of this name, or if no media file can have such a name. May block.
        /// - Parameter real: The path of the directory, without links.
        func place(in real: AbsolutePath) -> FirstNames.Place {
            let isFolder = isFolder ?? (PathConfinement.kind(of: real.appending(name)) == .directory)
            return FirstNames.Place(isFolder: isFolder, name: NaturalOrder.Key(name))
        }
    }
}
