import PlaybackEngine

/// Called by the audio session.
extension AVPlayer {
    func follow(role new: StreamRole, isSilenced: Bool) {
        configure { settings in
            settings.role = new
            settings.isMuted = engine.mute(bySession: isSilenced)
        }
    }

    /// Permanently, with the items (R-STATUS-10).
    func servicesWereReset() {
        guard playerStatus != .failed else { return }
        MainTurn.perform {
            catchUp()
            cancelSeeks()
            position.hold(at: currentTime())
            apply(.servicesReset)
            let error = PlaybackError(.outputUnavailable, "The audio service was restarted. Create new players and items.")
            for item in ownItems() { item.engineFailed(error) }
            if let item = playingItem { apply(.itemFailed(item.engineID, isSkipped: false)) }
            fail(error.asAVFoundationError)
            engine.release()
            position.setClock(nil)
        }
    }
}
