public import Dispatch

/// The delegate of an output that pushes its data.
@preconcurrency @MainActor public protocol AVPlayerItemOutputPushDelegate: AnyObject {
    /// In Apple's API, called after a seek, if pushed data do not belong to the audio that follows. Never called here, because data are pushed only
    /// when their audio is heard.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// The receiver of an item's timed metadata.
@preconcurrency @MainActor public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
    /// Called at the moment at which the groups' audio is heard (R-META-02). Each group applies from the start of its time range on; `track` is nil,
    /// because metadata belong to the whole item.
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
public final class AVPlayerItemMetadataOutput: AVPlayerItemOutput {
    private let identifiers: Set<String>?
    public private(set) weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?

    /// - Parameter identifiers: The identifiers that are delivered (`AVMetadataIdentifier.rawValue`); nil for all.
    public init(identifiers: [String]? = nil) {
        self.identifiers = identifiers.map(Set.init)
        super.init()
    }

    /// Sets the delegate. It is called on the main queue; another queue is a programmer error.
    public func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue delegateQueue: DispatchQueue?) {
        demandMainQueue(Self.self)
        demand(delegateQueue.map(MainQueue.isMain) ?? true, "R-META-02: the delegate of an AVPlayerItemMetadataOutput is called on the main queue")
        self.delegate = delegate
    }

    /// Gives the delegate the metadata that it wants, after the notifications that are already enqueued in the present turn of the main actor.
    override func push(_ group: AVTimedMetadataGroup) {
        let items = group.items.filter { item in identifiers.map { all in item.identifier.map { all.contains($0.rawValue) } ?? false } ?? true }
        guard !items.isEmpty else { return }
        let selected = AVTimedMetadataGroup(items: items, timeRange: group.timeRange)
        MainTurn.enqueue { [weak self] in
            guard let self, item != nil else { return }
            delegate?.metadataOutput(self, didOutputTimedMetadataGroups: [selected], from: nil)
        }
    }
}
