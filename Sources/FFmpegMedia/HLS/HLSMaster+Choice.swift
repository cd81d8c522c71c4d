import Platform

extension HLSMaster {
    /// The playlists that contain the sound of the stream, the best one first, each once. Variants with sound alone come first, those with the
    /// greatest bandwidth before others. Of variants with pictures, which usually have the same sound, the one with the least bandwidth comes first.
    ///
    /// - Parameter limit: The bandwidth beyond which a variant comes after all others, in bits per second; 0 for none.
    func audioLocations(upTo limit: Double) -> [String] {
        let choices = variants.compactMap { choice($0, limit) }.enumerated().sorted { one, other in
            one.element.isBetter(than: other.element) || !other.element.isBetter(than: one.element) && one.offset < other.offset
        }
        var known: Set<OuterText> = []
        return choices.map(\.element.location).filter { known.insert(OuterText($0)).inserted }
    }

    /// A playlist with sound, and what the order of playlists depends on.
    private struct Choice {
        var location: String
        var hasVideo: Bool
        /// Whether the sound has half of its bandwidth only (HE-AAC).
        var isReduced: Bool
        var bandwidth: Int
        /// Whether the bandwidth is beyond the limit.
        var isExcessive = false

        func isBetter(than other: Choice) -> Bool {
            if isExcessive != other.isExcessive { return !isExcessive }
            if hasVideo != other.hasVideo { return !hasVideo }
            if hasVideo, isReduced != other.isReduced { return !isReduced }
            return hasVideo || isExcessive ? bandwidth < other.bandwidth : bandwidth > other.bandwidth
        }
    }

    /// Returns the playlist with the sound of a variant; nil if the variant states codecs, and none is of sound.
    private func choice(_ variant: Variant, _ limit: Double) -> Choice? {
        let codecs = variant.codecs ?? []
        let isReduced = codecs.contains { ["mp4a.40.5", "mp4a.40.29"].contains($0) }
        if let group = variant.audioGroup, let rendition = rendition(of: group), let location = rendition.location {
            // The bandwidth contains that of the pictures, so it does not show that of the rendition.
            return Choice(location: location, hasVideo: false, isReduced: isReduced, bandwidth: variant.bandwidth)
        }
        guard codecs.isEmpty || codecs.contains(where: HLSMaster.isAudio) else { return nil }
        let hasVideo = variant.hasVideo || !codecs.allSatisfy(HLSMaster.isAudio)
        return Choice(
            location: variant.location, hasVideo: hasVideo, isReduced: isReduced, bandwidth: variant.bandwidth,
            isExcessive: limit > 0 && Double(variant.bandwidth) > limit)
    }

    /// The rendition of a group that is played if the user has chosen none.
    private func rendition(of group: OuterText) -> Rendition? {
        let members = renditions.filter { $0.group == group }
        return members.first(where: \.isDefault) ?? members.first(where: \.isChosenBySystem) ?? members.first
    }

    /// Whether a codec is one of sound, by the beginning of its name (RFC 6381).
    private static func isAudio(_ codec: String) -> Bool {
        let name = codec.utf8.prefix { $0 != UInt8(ascii: ".") }.map(\.asciiLowercased)
        return ["mp4a", "ac-3", "ec-3", "ac-4", "flac", "opus", "alac", "mp3", "dtsc", "dtse", "dtsx"].contains { $0.utf8.elementsEqual(name) }
    }
}
