import CRemoteAssets

/// The files of the web remote, and the contract of the API. The web remote and the contract are embedded in the binary, so that the program is a
/// single file.
public enum RemoteAssets {
    /// The files of the folder `web/`, by their path in that folder (such as `js/main.js`), in alphabetical order of the paths.
    public static let files: [(path: String, bytes: [UInt8])] = {
        var count = 0
        let page = CRemoteAssets_page(&count)
        return UnsafeBufferPointer(start: page, count: count).map { (String(cString: $0.path), bytes($0)) }
    }()

    /// Makes the files that a server serves for the page (`PageFolder`), in a few milliseconds. If the files of the folder `web/` cannot be bundled,
    /// returns them unchanged; a test checks that this does not happen.
    public static func page() -> [PageFolder.File] {
        (try? PageFolder(files))?.files ?? files.map { PageFolder.File(path: $0.path, bytes: $0.bytes, isImmutable: false) }
    }

    /// The bytes of `openapi.yaml`, the contract of the API.
    public static let openAPI: [UInt8] = bytes(CRemoteAssets_openAPI())

    /// The contract of the API in JSON; empty if `openapi.yaml` is not valid YAML. Each use converts the YAML form, which takes milliseconds.
    public static var openAPIJSON: [UInt8] { ContractJSON.converted(openAPI) ?? [] }

    private static func bytes(_ asset: CRemoteAsset) -> [UInt8] {
        Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
    }
}
