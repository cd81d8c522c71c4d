import CRemoteAssets

/// The web remote and the API's contract, embedded in the binary so that the program is a single file.
public enum RemoteAssets {
    /// The files of `web/`, by their relative path (`js/main.js`), in alphabetical order.
    public static let files: [(path: String, bytes: [UInt8])] = {
        var count = 0
        let page = CRemoteAssets_page(&count)
        return UnsafeBufferPointer(start: page, count: count).map { (String(cString: $0.path), bytes($0)) }
    }()

    /// `openapi.yaml`.
    public static let openAPI: [UInt8] = bytes(CRemoteAssets_openAPI())

    private static func bytes(_ asset: CRemoteAsset) -> [UInt8] {
        Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
    }
}
