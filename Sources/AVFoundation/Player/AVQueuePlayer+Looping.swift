/// Operations on a queue for `AVPlayerLooper`.
extension AVQueuePlayer {
    /// Inserts items at the front. The first becomes current; the former current item will continue from its present position.
    func insertAtFront(_ items: [AVPlayerItem]) {
        guard let first = items.first else { return }
        MainTurn.perform {
            catchUp()
            for item in items { item.associate(with: self) }
            let former = currentItem
            if let former {
                // For the engine it becomes a new item, which starts at the present position.
                former.setPendingStart(former.currentTime(), completion: nil)
                former.renewEngineID()
            }
            hub.change([.items]) { queue.insert(contentsOf: items, at: 0) }
            setCurrentItem(first, by: .loading)
        }
    }
}
