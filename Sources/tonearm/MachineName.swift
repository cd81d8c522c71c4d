import Glibc

/// The network name of this machine, which is the player's name if no option states a name.
enum MachineName {
    /// Returns the machine's host name without its domain; `Tonearm` if the machine has no host name.
    static func current() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return unnamed }
        let name = String(decoding: buffer.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return name.isEmpty ? unnamed : name
    }

    private static let unnamed = "Tonearm"
}
