import PlaybackEngine

/// Requests of the audio session to a player.
extension AVPlayer {
    func follow(role new: StreamRole, isSilenced: Bool) {
        isSilencedBySession = isSilenced
        configure { settings in
            settings.role = new
            settings.isMuted = self.isSilenced || isSilencedBySession
        }
    }

    /// Fails the player and its items permanently, because the audio service has restarted (R-STATUS-10).
    func servicesWereReset() {
        guard playerStatus != .failed else { return }
        MainTurn.perform {
            catchUp()
            cancelSeeks()
            var rule = position.rule
            (rule.rest, rule.isHeld, rule.counting) = (currentTime(), true, nil)
            position.setRule(rule)
            apply(.servicesReset)
            let error = PlaybackError(.outputUnavailable, "The audio service was restarted. Create new players and items.")
            for item in ownItems() { item.engineFailed(error) }
            if let item = playingItem { apply(.itemFailed(item.engineID, isSkipped: false)) }
            hub.change([.error, .status]) {
                playerError = error.asAVFoundationError
                playerStatus = .failed
            }
            // Releasing the engine shuts it down in the background.
            engine = nil
            position.setClock(nil)
        }
    }
}
