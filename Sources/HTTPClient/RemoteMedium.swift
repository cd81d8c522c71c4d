import Platform
package import PlaybackEngine

/// Opens media at http and https addresses.
package enum RemoteMedium {
    /// The rule for failed transfers of a medium that is only examined.
    static let examinationPolicy = RetryPolicy(patience: 3, openingPatience: 0)

    /// Opens the bytes of the medium at `url`. If the medium has a monitor, they are transferred ahead of the reader. The call blocks until the server
    /// has responded, until the policy gives up, or until an interrupt.
    ///
    /// - Parameters:
    ///   - source: The options of the medium; its location is not used.
    ///   - retryPolicy: The rule for failed transfers of a medium with a monitor.
    ///   - address: Receives the address that has answered.
    package static func open(
        _ url: String, _ source: MediaSource, retryPolicy: RetryPolicy, answering address: AnsweringAddress, interrupt: Interrupt
    ) throws(PlaybackError) -> any ByteSource {
        let monitor = source.monitor, policy = monitor == nil ? examinationPolicy : retryPolicy
        let open: @Sendable (Interrupt) throws(PlaybackError) -> any ByteSource = { interrupt throws(PlaybackError) in
            let clock = MonotonicClock()
            let server = try HTTPSource(
                url: url, headers: source.httpHeaders, allowsPrivateAddresses: source.allowsPrivateAddresses, meter: source.meter,
                titles: source.timedMetadata, answering: address, interrupt: interrupt, clock: clock)
            return try RetryingSource(
                server, policy: policy, monitor: monitor, clock: clock, wait: interrupt.wait(until:))
        }
        return try transferred(monitor, interrupt, open)
    }

    /// Opens a source by `open`. If there is a monitor, the source is opened and read ahead of its reader, on a thread of its own.
    ///
    /// - Parameter open: The function that opens the source. The interrupt that it receives is raised when the source is no longer needed.
    package static func transferred(
        _ monitor: ConnectionMonitor?, _ interrupt: Interrupt, _ open: @escaping @Sendable (Interrupt) throws(PlaybackError) -> any ByteSource
    ) throws(PlaybackError) -> any ByteSource {
        guard let monitor else { return try open(interrupt) }
        return try BufferedSource(isOpening: true, monitor: monitor, interrupt: interrupt, open: open)
    }
}
