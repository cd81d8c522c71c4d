import CCurl
import PlaybackEngine

/// The connections of one medium to its servers, and the cookies that these have set. Only the thread that reads the medium uses them.
final class HTTPConnections {
    let multi: UnsafeMutableRawPointer
    /// The cookies by the host that has set them.
    private var jars: [String: CookieJar] = [:]

    /// The addresses of the last server or proxy, for requests that may use its connection again; nil if the next request looks them up.
    private(set) var known: (host: String, addresses: [NetworkAddress])?

    /// The number of idle connections that are kept: the one of the last request.
    private static let idleLimit = 1
    /// The number of hosts beyond which all cookies are forgotten.
    private static let jarLimit = 16
    /// Starts libcurl, once in the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(PlaybackError) {
        guard HTTPConnections.isReady, let multi = curl_multi_init() else { throw .outOfMemory }
        self.multi = multi
        ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, HTTPConnections.idleLimit)
    }

    deinit { curl_multi_cleanup(multi) }

    func setKnown(_ known: (host: String, addresses: [NetworkAddress])?) { self.known = known }

    /// Returns the cookies that are sent to `host`.
    func jar(of host: String) throws(PlaybackError) -> CookieJar {
        if let jar = jars[host] { return jar }
        if jars.count >= HTTPConnections.jarLimit { jars = [:] }
        let jar = try CookieJar()
        jars[host] = jar
        return jar
    }

    /// Sends and receives what is possible without waiting, and passes the result of each request that has ended to its exchange.
    func work() {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count) {
            var context: UnsafeMutableRawPointer?
            guard message.pointee.msg == CURLMSG_DONE, ccurl_get_context(message.pointee.easy_handle, &context) == CURLE_OK, let context else {
                continue
            }
            Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue().end(ccurl_result(message))
        }
    }

    /// Waits until more can be sent or received, at most for `seconds`.
    func wait(_ seconds: Double) { curl_multi_poll(multi, nil, 0, Int32(seconds * 1000) + 1, nil) }
}
