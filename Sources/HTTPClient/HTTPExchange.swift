import CCurl
import Glibc
import Platform
import PlaybackEngine

/// One request and its response, by libcurl. Bytes are sent and received only during the calls of `receiveHead`, `read` and `hasArrived`, on the
/// caller's thread. Every wait ends when the interrupt is raised, and at the latest at the deadline.
final class HTTPExchange {
    /// What a request needs besides its header fields.
    struct Route {
        let url: RemoteURL
        /// The proxy to which `addresses` belong; nil if they are the server's.
        let proxy: HTTPProxy?
        /// The addresses to which a new connection may lead.
        let addresses: [NetworkAddress]
        let trust: TLSTrust
        /// Whether the request must not use an idle connection.
        let isFresh: Bool
    }
    private let route: Route
    private let connections: HTTPConnections
    private let jar: CookieJar
    private let interrupt: Interrupt
    private let clock = MonotonicClock()
    private let easy: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var deadline: HostTime

    /// The lines of the head that is being received.
    private var head: [UInt8] = []
    private var headSize = 0, interimCount = 0
    private var reply: HTTPReply?
    /// The received bytes of the body; the first `used` of them have been read. An exchange that is read has at most those of one call of libcurl
    /// (1.6 MB), because libcurl is called only when all have been read.
    private var pending: [UInt8] = []
    private var used = 0
    /// The result of the exchange; nil while it runs.
    private var result: CURLcode?
    /// The error that a callback has found; libcurl itself only reports that a callback has failed.
    private var refusal: PlaybackError?
    /// The number of bytes of the body that have not been read; nil if it is unknown.
    private(set) var remaining: Int64?
    /// Whether a byte of the body has been read.
    private(set) var hasDelivered = false
    /// The address to which the request was sent; nil before.
    private(set) var address: NetworkAddress?
    /// Whether a connection was opened for the request.
    private(set) var isNew = false
    /// The filter for the titles of a radio station in the body; nil if the body has none.
    var filter: ICYFilter?

    /// The number of bytes of all heads, with those of interim responses, beyond which a response is refused.
    private static let headLimit = 65_536
    static let interimLimit = 16
    /// The number of bytes for which memory is kept when all received ones have been read.
    private static let keptCapacity = 64 << 10
    /// The number of unread bytes beyond which the exchange ends: that of a silent connection (`HTTPSource.spare`) may send while another is awaited.
    private static let pendingLimit = 4 << 20
    /// The longest wait before the interrupt is looked at again, in seconds.
    private static let slice = 0.02

    /// - Parameters:
    ///   - fields: The header fields of the request, as lines.
    ///   - cookie: The user's own cookies, as the value of the field `Cookie`; nil if there are none. libcurl adds the cookies of servers.
    init(
        _ route: Route, fields: [String], cookie: String?, connections: HTTPConnections, interrupt: Interrupt, deadline: HostTime
    ) throws(PlaybackError) {
        let jar = try connections.jar(of: route.url.host)
        guard let easy = curl_easy_init() else { throw .outOfMemory }
        self.jar = jar
        self.route = route
        self.connections = connections
        self.interrupt = interrupt
        self.deadline = deadline
        self.easy = easy
        let url = route.url, context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_context(easy, CURLOPT_PRIVATE, context)
        ccurl_set_text(easy, CURLOPT_URL, url.text(credentials: nil))
        ccurl_set_number(easy, CURLOPT_PATH_AS_IS, 1)
        // `HTTPSession` follows redirects, after it has checked the address to which each leads.
        ccurl_set_number(easy, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_number(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        // Old radio servers begin their response with these characters instead of `HTTP`.
        set(CURLOPT_HTTP200ALIASES, ["ICY "])
        set(CURLOPT_HTTPHEADER, fields)
        jar.use(easy)
        if let cookie { ccurl_set_text(easy, CURLOPT_COOKIE, cookie) }
        ccurl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            HTTPExchange.of(context)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        ccurl_set_context(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            HTTPExchange.of(context)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        ccurl_set_context(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_socket_function(easy) { context, _, address in
            guard let address else { return CURL_SOCKET_BAD }
            return HTTPExchange.of(context)?.makeSocket(address) ?? CURL_SOCKET_BAD
        }
        ccurl_set_context(easy, CURLOPT_OPENSOCKETDATA, context)
        ccurl_set_request_function(easy) { context, address, _, _, _ in
            guard let address, let exchange = HTTPExchange.of(context) else { return CURL_PREREQFUNC_ABORT }
            return exchange.admits(address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        ccurl_set_context(easy, CURLOPT_PREREQDATA, context)
        // If a server has several addresses, the first one gets half of this time.
        ccurl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(HTTPSession.attemptLimit * 1000))
        if route.isFresh { ccurl_set_number(easy, CURLOPT_FRESH_CONNECT, 1) }
        setRoute()
        curl_multi_add_handle(connections.multi, easy)
    }

    deinit {
        // The end of an unfinished exchange closes its connection.
        curl_multi_remove_handle(connections.multi, easy)
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
    }

    private func set(_ option: CURLoption, _ lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        guard let list else { return }
        lists.append(list)
        ccurl_set_list(easy, option, list)
    }

    /// Sets the addresses of the server or of the proxy, so that libcurl looks up no name, and the certificates that are trusted.
    private func setRoute() {
        let url = route.url, proxy = route.proxy
        let host = proxy?.host ?? url.host, port = proxy?.port ?? url.port
        let addresses = route.addresses.map { $0.bytes.count == 16 ? "[\($0.text)]" : $0.text }.joined(separator: ",")
        // A literal IPv6 address is not looked up, and cannot be the name of such an entry.
        if !host.utf8.contains(0x3A) { set(CURLOPT_RESOLVE, ["\(host):\(port):\(addresses)"]) }
        // An empty text means no proxy, whatever the environment names.
        ccurl_set_text(easy, CURLOPT_PROXY, proxy?.url ?? "")
        if let proxy {
            ccurl_set_text(easy, CURLOPT_PROXYUSERNAME, proxy.user)
            ccurl_set_text(easy, CURLOPT_PROXYPASSWORD, proxy.password)
            ccurl_set_text(easy, CURLOPT_NOPROXY, "")
            ccurl_set_number(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        }
        if route.trust.isOwn {
            ccurl_set_text(easy, CURLOPT_CAINFO, route.trust.file)
            ccurl_set_text(easy, CURLOPT_CAPATH, route.trust.folder)
            ccurl_set_text(easy, CURLOPT_PROXY_CAINFO, route.trust.file)
            ccurl_set_text(easy, CURLOPT_PROXY_CAPATH, route.trust.folder)
        }
        ccurl_set_number(easy, CURLOPT_CERTINFO, 1)
    }

    // MARK: The callbacks of libcurl

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPExchange? {
        context.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes the socket of a new connection, if its address is permitted.
    private func makeSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        let found = withUnsafePointer(to: &address.pointee.addr) { NetworkAddress($0, family: address.pointee.family) }
        guard let found, route.addresses.contains(found) else {
            refusal = .forbiddenAddress
            return CURL_SOCKET_BAD
        }
        isNew = true
        return socket(address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    }

    /// Returns whether the request may be sent over a connection to `address`. Unlike `makeSocket`, this checks an idle connection too.
    private func admits(_ address: UnsafePointer<CChar>) -> Bool {
        guard let found = NetworkAddress(literal: String(cString: address)), route.addresses.contains(found) else {
            refusal = .forbiddenAddress
            return false
        }
        self.address = found
        return true
    }

    private func refuse(_ sentence: String) -> Int {
        refusal = PlaybackError(.network, sentence, reason: .badResponse)
        return 0
    }

    /// Takes a line of the head; returns 0 to refuse the response. Header fields after a chunked body (trailers) are ignored.
    private func takeLine(_ line: UnsafeRawBufferPointer) -> Int {
        guard reply == nil else { return line.count }
        headSize += line.count
        guard headSize <= HTTPExchange.headLimit else {
            return refuse("The head of the server's response has more than \(HTTPExchange.headLimit) bytes.")
        }
        let isEnd = line.count <= 2 && line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
        guard isEnd else {
            head += line
            return line.count
        }
        // A response with status 101 (a change of protocol) is not an interim response, and was not requested.
        guard let found = HTTPReply(head), found.status != 101 else { return refuse("The server's response is not HTTP.") }
        head = []
        guard (100..<200).contains(found.status) else {
            reply = found
            remaining = found.isChunked ? nil : found.contentLength
            filter = found.isStation ? ICYFilter(found) : nil
            return line.count
        }
        interimCount += 1
        guard interimCount <= HTTPExchange.interimLimit else {
            return refuse("The server sends more than \(HTTPExchange.interimLimit) interim responses.")
        }
        return line.count
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard pending.count + bytes.count <= HTTPExchange.pendingLimit else {
            refusal = .connectionLost
            return 0
        }
        pending += bytes
        return bytes.count
    }

    /// Receives the result of the exchange.
    func end(_ code: CURLcode) { result = code }

    // MARK: Receiving

    /// Whether the connection may end here, because the body is complete or has no marked end.
    var isComplete: Bool { result == CURLE_OK }
    /// Whether bytes of the body have arrived, or the exchange has ended, so that a read does not wait.
    var hasArrived: Bool {
        if used == pending.count { connections.work() }
        return used < pending.count || result != nil
    }
    /// The time that it took to open the connection, in seconds; nil if there is no connection.
    var connectingTime: Double? {
        var seconds = 0.0
        return ccurl_get_seconds(easy, CURLINFO_CONNECT_TIME, &seconds) == CURLE_OK && seconds > 0 ? seconds : nil
    }
    /// Whether the head of a response has begun to arrive.
    var hasBegun: Bool { headSize > 0 }

    /// Sets the host time at which waits end with the error `silent`. The exchange can go on after such an error.
    func setDeadline(_ time: HostTime) { deadline = time }

    /// Sends the request, and returns the head of its response.
    func receiveHead() throws(PlaybackError) -> HTTPReply {
        do throws(PlaybackError) { try work { reply != nil || result != nil } } catch {
            guard error == .silent else { throw error }
            throw route.proxy.map { connectingTime == nil ? $0.unreachable(.late) : .late } ?? .late
        }
        guard let reply, refusal == nil else { throw failure() }
        return reply
    }

    /// Reads the bytes of the body that have arrived, at least one, and returns their number; 0 at the end of the body or of the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        guard buffer.count > 0 else { return 0 }
        if used == pending.count {
            pending.removeAll(keepingCapacity: pending.capacity <= HTTPExchange.keptCapacity)
            used = 0
            try work { !pending.isEmpty || result != nil }
        }
        let count = min(buffer.count, pending.count - used)
        guard count > 0 else {
            if result == CURLE_OK || result == CURLE_PARTIAL_FILE { return 0 }
            throw failure()
        }
        pending.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[used..<used + count])) }
        used += count
        remaining = remaining.map { $0 - Int64(count) }
        hasDelivered = true
        return count
    }

    /// Lets libcurl send and receive until `isDone` returns true. Throws `silent` at the deadline.
    private func work(until isDone: () -> Bool) throws(PlaybackError) {
        while true {
            if interrupt.isRaised { throw .cancelled }
            connections.work()
            if isDone() { return }
            let left = deadline - clock.now
            guard left > 0 else { throw .silent }
            connections.wait(min(HTTPExchange.slice, left))
        }
    }

    private func failure() -> PlaybackError {
        refusal ?? HTTPFailure(easy, result ?? CURLE_GOT_NOTHING, route, isBody: reply != nil).error
    }
}
