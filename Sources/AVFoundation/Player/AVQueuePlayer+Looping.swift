/// What an `AVPlayerLooper` does to a queue.
extension AVQueuePlayer {
    /// Puts items before all others: the first becomes current, and the one that was is to go on where it is.
    func insertAtFront(_ items: [AVPlayerItem]) {
        guard let first = items.first else { return }
        MainTurn.perform {
            catchUp()
            for item in items { item.associate(with: self) }
            let former = currentItem
            if let former {
                // Inside the engine it is another item, which begins where this one is now.
                former.setPendingStart(former.currentTime(), completion: nil)
                former.renewEngineID()
            }
            hub.change([.items]) { queue.insert(contentsOf: items, at: 0) }
            setCurrentItem(first, by: .loading)
        }
    }
}
