import CCurl
import PlaybackEngine

/// The cookies of one host, kept by libcurl. Each host has a jar of its own, so that no other host gets them, whatever domain they state.
final class CookieJar {
    private let share: UnsafeMutableRawPointer

    /// The number of cookies beyond which all are forgotten. From one response, libcurl takes at most 50 more, which its head contains.
    private static let limit = 20

    init() throws(PlaybackError) {
        guard let share = curl_share_init() else { throw .outOfMemory }
        self.share = share
        ccurl_share(share, CURL_LOCK_DATA_COOKIE)
    }

    deinit { curl_share_cleanup(share) }

    /// Makes a request send the cookies, and keep those of its response.
    func use(_ easy: UnsafeMutableRawPointer) {
        ccurl_set_context(easy, CURLOPT_SHARE, share)
        ccurl_set_text(easy, CURLOPT_COOKIEFILE, "")
        var list: UnsafeMutablePointer<curl_slist>?, count = 0
        ccurl_get_list(easy, CURLINFO_COOKIELIST, &list)
        defer { curl_slist_free_all(list) }
        var next = list
        while let entry = next { (count, next) = (count + 1, entry.pointee.next) }
        if count > CookieJar.limit { ccurl_set_text(easy, CURLOPT_COOKIELIST, "ALL") }
    }
}
