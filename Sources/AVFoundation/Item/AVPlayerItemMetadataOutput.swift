import Combine
public import Dispatch

/// The delegate of an output that pushes its data.
public protocol AVPlayerItemOutputPushDelegate: AnyObject {
    /// In Apple's API, called after a seek, if pushed data do not belong to the audio that follows. Never called here, because data are pushed only
    /// when their audio is heard.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// The receiver of an item's timed metadata.
public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
    /// Called on the queue of `setDelegate(_:queue:)`, at the moment at which the groups' audio is heard (R-META-02). Each group applies from the start
    /// of its time range on; `track` is nil, because metadata belong to the whole item.
    func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup], from track: AVPlayerItemTrack?)
}

/// Delivers the metadata in the course of an item, such as the titles of a radio station, at the moment at which their audio is heard (R-META-02).
///
/// ```swift
/// let output = AVPlayerItemMetadataOutput(identifiers: [AVMetadataIdentifier.icyMetadataStreamTitle.rawValue])
/// output.setDelegate(self, queue: .main)
/// item.add(output)
/// ```
public final class AVPlayerItemMetadataOutput: AVPlayerItemOutput, @unchecked Sendable {
    private let identifiers: Set<String>?
    private struct Receiver {
        weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?
        /// Nil for the main queue.
        var queue: DispatchQueue?
    }
    @Turn private var receiver = Receiver()

    public var delegate: (any AVPlayerItemMetadataOutputPushDelegate)? { Turn.perform { receiver.delegate } }
    /// The queue on which the delegate is called; nil for the main queue.
    public var delegateQueue: DispatchQueue? { Turn.perform { receiver.queue } }

    /// - Parameter identifiers: The identifiers that are delivered (`AVMetadataIdentifier.rawValue`); nil for all.
    public init(identifiers: [String]? = nil) {
        self.identifiers = identifiers.map(Set.init)
        super.init()
    }

    /// Sets the delegate, and the queue on which it is called; nil for the main queue. On the main queue, the calls are ordered with all other
    /// notifications of the player.
    public func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue delegateQueue: DispatchQueue?) {
        let receiver = HandedOver(value: Receiver(delegate: delegate, queue: delegateQueue.flatMap { MainQueue.isMain($0) ? nil : $0 }))
        Turn.perform { self.receiver = receiver.value }
    }

    /// Gives the delegate the metadata that it wants.
    override func push(_ group: AVTimedMetadataGroup) {
        let items = group.items.filter { item in identifiers.map { all in item.identifier.map { all.contains($0.rawValue) } ?? false } ?? true }
        guard !items.isEmpty else { return }
        let selected = AVTimedMetadataGroup(items: items, timeRange: group.timeRange)
        let queue = receiver.queue
        let deliver = { @Sendable [weak self] in
            // Another delegate may have been set meanwhile, which must not be called on the queue of the former one.
            guard let self, let delegate = Turn.perform({ item == nil || receiver.queue !== queue ? nil : receiver.delegate }) else { return }
            delegate.metadataOutput(self, didOutputTimedMetadataGroups: [selected], from: nil)
        }
        if let queue { queue.async(execute: deliver) } else { Turn.enqueueOnMain(deliver) }
    }
}
