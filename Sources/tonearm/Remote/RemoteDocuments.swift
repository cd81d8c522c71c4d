import Foundation

/// The members of the state that `tonearm remote` shows. Unknown members and values are ignored, as the contract requires.
struct RemoteState: Decodable {
    struct Anchor: Decodable {
        var time: Double
    }
    struct Change: Decodable {
        var reason: String
        var origin: String
    }
    struct Position: Decodable {
        var count: Int
        var index: Int
    }
    struct Output: Decodable {
        var kind: String
        var name: String
        var error: RemoteItemFailure?
    }
    struct AudioSession: Decodable {
        var silence: String?
    }
    struct SleepTimer: Decodable {
        var kind: String
        var remainingItems: Int?
    }

    var timeControlStatus: String
    var reasonForWaitingToPlay: String
    var ended: Bool
    var rate: Double
    var defaultRate: Double
    var volume: Double
    var isMuted: Bool
    var repeatMode: String
    var isShuffled: Bool
    var anchor: Anchor
    var lastChange: Change
    var queue: Position
    var output: Output
    var sleepTimer: SleepTimer
    var audioSession: AudioSession?
    var currentItem: RemoteEntry?
}

struct RemoteItemFailure: Decodable {
    var message: String
}

struct RemoteEntry: Decodable {
    var id: String
    var url: String
    var title: String?
    var artist: String?
    var album: String?
    var duration: Double?
    var error: RemoteItemFailure?
}

struct RemoteQueue: Decodable {
    var revision: Int
    /// The number of entries of the queue, of which the document may have a page only.
    var count: Int
    var currentId: String?
    var entries: [RemoteEntry]
}

/// The answer to `getPlayerTime`, and the data of a tick.
struct RemoteTime: Decodable {
    var currentTime: Double
}

struct RemoteOutputs: Decodable {
    struct Choice: Decodable {
        var id: String
        var name: String
    }
    var chosenId: String?
    var outputs: [Choice]
}

enum RemoteValue: Encodable {
    case number(Double)
    case text(String)
    case flag(Bool)
    case entries([String])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .flag(let flag): try container.encode(flag)
        case .entries(let urls): try container.encode(urls.map { ["url": $0] })
        }
    }

    /// Encodes an object, whose members are in alphabetical order.
    static func object(_ members: [String: RemoteValue]) -> String { members.jsonLine ?? "{}" }
}

extension Encodable {
    /// The JSON on one line, sorted by name; nil for a number that is not finite.
    var jsonLine: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
