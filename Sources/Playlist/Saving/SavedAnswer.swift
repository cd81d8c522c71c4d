/// The answer to a request with an `Idempotency-Key`, as it is kept from one run of the program to the next.
public struct SavedAnswer: Sendable {
    /// A header field of the answer.
    public struct Field: Sendable {
        public var name: String
        public var value: String
        public init(name: String, value: String) { self.name = name; self.value = value }
    }
    /// The answer itself.
    public struct Response: Sendable {
        public var status: Int
        public var fields: [Field]
        public var body: [UInt8]
        public init(status: Int, fields: [Field], body: [UInt8]) { self.status = status; self.fields = fields; self.body = body }
    }

    /// The number of the request. Later requests have larger numbers.
    public var number: Int64
    /// The identity of the client, as a hash.
    public var client: [UInt8]
    /// The value of `Idempotency-Key`.
    public var key: [UInt8]
    /// The content of the request, as a hash.
    public var fingerprint: [UInt8]
    /// The network of the client, whose share of the kept answers is limited.
    public var network: String
    /// The date of the request, in seconds since 1970-01-01 UTC.
    public var date: Double
    /// The answer; nil if the request has changed the player and was not answered before the program ended.
    public var response: Response?

    public init(
        number: Int64, client: [UInt8], key: [UInt8], fingerprint: [UInt8], network: String, date: Double, response: Response? = nil
    ) {
        self.number = number
        self.client = client
        self.key = key
        self.fingerprint = fingerprint
        self.network = network
        self.date = date
        self.response = response
    }
}

/// All answers that are kept, at one moment.
public struct SavedAnswers: Sendable {
    /// The largest number of answers.
    public static let maximumCount = 1000
    /// The limit of all keys and bodies together, in bytes.
    public static let maximumSize = 8 << 20

    /// A number that grows with each change. Of two values, the value with the larger number is newer.
    public var edition: UInt64
    public var answers: [SavedAnswer]
    public init(edition: UInt64, answers: [SavedAnswer]) { self.edition = edition; self.answers = answers }
}

/// A place that keeps answers from one run of the program to the next. The program implements the protocol with a database.
public protocol AnswerArchive: AnyObject, Sendable {
    /// Saves these answers, and discards all others. A value that is older than the last one is ignored. Does not block. Any thread may call it.
    func keep(_ answers: SavedAnswers)
}
