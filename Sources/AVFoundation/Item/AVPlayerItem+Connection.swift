import Platform
public import PlaybackEngine

extension AVPlayerItem {
    /// The wait for the next attempt to reach the server of a remote medium; nil while the transfer works. `connectionWait` is observable. While the
    /// item waits, its status does not change, and buffered audio is played. Apple's API has no property `connectionWait`.
    public var connectionWait: ConnectionMonitor.Wait? {
        hub.access(.connectionWait)
        return knownConnectionWait
    }

    /// Gives the source of a remote medium the item's connection monitor (`connection`), and observes the monitor.
    func observeConnection(of source: inout MediaSource) {
        source.monitor = connection
        guard let scheduler = owner?.environment.scheduler else { return }
        connection.observeWait { [weak self] in
            scheduler.async { [weak self] in self?.connectionChanged() }
        }
        updateDemand()
    }

    private func connectionChanged() {
        // The status of an item that belongs to no player does not change (R-STATUS-04).
        guard owner != nil, status != .failed else { return }
        MainTurn.perform {
            let wait = connection.wait
            if wait != knownConnectionWait { setConnectionWait(wait) }
        }
    }

    /// Tells the connection monitor whether the item is current, and whether the item's buffer is empty, so that playback waits for bytes from the
    /// server.
    func updateDemand() {
        let isCurrent = owner?.playingItem === self
        let now = (owner?.environment ?? .default).clock.now
        connection.setDemand(isCurrent: isCurrent, isNeeded: isCurrent && (bufferLevel?.isEmpty ?? true), now: now)
    }

    /// Sets the capacity of the reserve of compressed bytes from the preferred duration of the buffer (R-BUF-06). Without a preferred duration, or
    /// without a known number of bytes per second, the reserve keeps its default capacity.
    func updateReserve() {
        guard let bytes = mediaInfo?.bytesPerSecond(length: connection.reserve?.length), settings.bufferDuration > 0 else {
            return connection.setCapacity(nil)
        }
        connection.setCapacity(Int64(min(1e12, settings.bufferDuration * bytes)))
    }
}
