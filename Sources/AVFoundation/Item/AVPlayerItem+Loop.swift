public import CoreMedia
import PlaybackEngine

extension AVPlayerItem {
    /// The part of the item that is repeated; invalid (the default) if no part is repeated. Apple's API has no property `loopTimeRange`:
    /// `AVPlayerLooper` repeats copies of an item in a queue, whereas this property repeats a part of one item.
    ///
    /// Forward playback that reaches the end of the range continues at the start of the range without a gap, exact to the sample. Reverse playback
    /// that reaches the start continues at the end (R-TURN-01…05). The range must be numeric, start at 0 or later, and last at least 0.1 seconds. The
    /// part of the range after the end of the item is ignored. An item that cannot seek is not repeated.
    public nonisolated var loopTimeRange: CMTimeRange {
        get { read(.loopTimeRange) { settings.loop.map { CMTimeRange(start: $0.start, end: $0.end) } ?? .invalid } }
        set {
            let loop = newValue.isValid ? LoopRange(start: newValue.start, end: newValue.end) : nil
            demand(!newValue.isValid || loop != nil, "R-TURN-01: the range of a loop must be numeric, start at 0 or later, and last at least 0.1 s")
            turn {
                guard loop != settings.loop else { return }
                change([.loopTimeRange]) { $0.loop = loop }
                owner?.loopDidChange(of: self)
            }
        }
    }
}

extension AVPlayer {
    /// Sends the changed loop of an item to the engine, which already has the item with another loop.
    @Turn func loopDidChange(of item: AVPlayerItem) {
        guard engine.isStarted else { return }
        if item === playingItem {
            catchUp()
            engine.post(.setLoop(item.settings.loop, item.engineID))
        } else {
            requestDidChange(of: item)
        }
    }
}
