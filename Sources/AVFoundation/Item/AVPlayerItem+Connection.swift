import Platform
public import PlaybackEngine

extension AVPlayerItem {
    /// For the next attempt to reach the server; nil while the transfer works. Observable. The status does not change, and buffered audio is played.
    /// Not in Apple's API.
    public var connectionWait: ConnectionMonitor.Wait? {
        hub.access(.connectionWait)
        return knownConnectionWait
    }

    /// Gives it the item's `connection`.
    func observeConnection(of source: inout MediaSource) {
        source.monitor = connection
        guard let scheduler = owner?.environment.scheduler else { return }
        connection.observeWait { [weak self] in
            scheduler.async { [weak self] in self?.connectionChanged() }
        }
        updateDemand()
    }

    private func connectionChanged() {
        // R-STATUS-04.
        guard owner != nil, status != .failed else { return }
        MainTurn.perform {
            let wait = connection.wait
            if wait != knownConnectionWait { setConnectionWait(wait) }
        }
    }

    /// Whether the item is current, and whether playback waits for the server.
    func updateDemand() {
        let isCurrent = owner?.playingItem === self
        let now = (owner?.environment ?? .default).clock.now
        connection.setDemand(isCurrent: isCurrent, isNeeded: isCurrent && (bufferLevel?.isEmpty ?? true), now: now)
    }

    /// From the preferred duration of the buffer (R-BUF-06); the default without one, or without a known bit rate.
    func updateReserve() {
        guard let bytes = mediaInfo?.bytesPerSecond(length: connection.reserve?.length), settings.bufferDuration > 0 else {
            return connection.setCapacity(nil)
        }
        connection.setCapacity(Int64(min(1e12, settings.bufferDuration * bytes)))
    }
}
