/// Keeps the waveforms of files over restarts of the program. Its methods block, and are called on the thread of the waveforms.
public protocol WaveformArchive: Sendable {
    /// Returns the bytes that were kept under a name; nil if there are none, or if they cannot be read.
    func waveform(named name: String) -> [UInt8]?
    /// Keeps bytes under a name, which has only lower-case hexadecimal digits and hyphens. Waveforms that were not used for long may be removed for
    /// them. If the bytes cannot be kept, the waveform is computed again when it is needed.
    func keep(_ waveform: [UInt8], named name: String)
}
