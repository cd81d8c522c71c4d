import CRemoteAssets

/// The files of the web remote, and the contract of the API. The web remote and the contract are embedded in the binary, so that the program is a
/// single file.
public enum RemoteAssets {
    /// The files of the page, by their path in the folder `web/` (such as `js/main.js`), in alphabetical order of the paths. The scripts and style
    /// sheets that `index.html` loads are bundles (script/embed), which contain all others.
    public static let files: [(path: String, bytes: [UInt8])] = {
        var count = 0
        let page = CRemoteAssets_page(&count)
        return UnsafeBufferPointer(start: page, count: count).map { (String(cString: $0.path), bytes($0)) }
    }()

    /// Makes the files that a server serves for the page, in a few milliseconds.
    public static func page() -> [PageFolder.File] { PageFolder(files).files }

    /// The bytes of `openapi.yaml`, the contract of the API.
    public static let openAPI: [UInt8] = bytes(CRemoteAssets_openAPI())

    /// The contract of the API in JSON; empty if `openapi.yaml` is not valid YAML. Each use converts the YAML form, which takes milliseconds.
    public static var openAPIJSON: [UInt8] { ContractJSON.converted(openAPI) ?? [] }

    private static func bytes(_ asset: CRemoteAsset) -> [UInt8] {
        Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
    }
}
