import AVFoundation
import PlaybackTesting

extension ScriptedRig {
    /// Returns a paused player whose item, named "a", is ready to play.
    func readyPlayer() -> AVPlayer {
        let player = self.player(item("a"))
        run()
        return player
    }

    /// Returns a playing player that has played its item, named "a", for one second.
    func playingPlayer() -> AVPlayer {
        let player = self.player(item("a"))
        player.play()
        advance(1)
        return player
    }
}
