import Foundation
package import Platform

extension FilePath {
    /// Makes the path of a `file:` URL, or of a URL without a scheme; nil if the text is no URL. The path need not be UTF-8. It is empty if the URL has
    /// no path, or if its percent-encoding is malformed.
    package init?(fileURL text: String) {
        guard let url = URL(string: text) else { return nil }
        // `path` of a URL is empty if its bytes are not UTF-8.
        let path = url.path
        self = path.isEmpty ? FilePath(bytes: PercentEncoding.decodedBytes(url.path(percentEncoded: true)) ?? []) : FilePath(path)
    }
}
