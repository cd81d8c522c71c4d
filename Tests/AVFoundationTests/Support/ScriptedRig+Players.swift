import AVFoundation
import PlaybackTesting

extension ScriptedRig {
    /// A player whose item, called "a", is ready.
    func readyPlayer() -> AVPlayer {
        let player = self.player(item("a"))
        run()
        return player
    }

    /// A player that has played its item, called "a", for a second.
    func playingPlayer() -> AVPlayer {
        let player = self.player(item("a"))
        player.play()
        advance(1)
        return player
    }
}
