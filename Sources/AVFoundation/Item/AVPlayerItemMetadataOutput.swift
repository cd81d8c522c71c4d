public import Dispatch

/// The delegate of an output that pushes its data.
@preconcurrency @MainActor public protocol AVPlayerItemOutputPushDelegate: AnyObject {
    /// Notifies the delegate that the data pushed so far no longer belong to the audio that follows, because the item has sought.
    func outputSequenceWasFlushed(_ output: AVPlayerItemOutput)
}

extension AVPlayerItemOutputPushDelegate {
    public func outputSequenceWasFlushed(_ output: AVPlayerItemOutput) {}
}

/// The receiver of an item's timed metadata.
@preconcurrency @MainActor public protocol AVPlayerItemMetadataOutputPushDelegate: AVPlayerItemOutputPushDelegate {
    /// Receives timed metadata at the moment at which their audio is heard (R-META-02).
    ///
    /// - Parameters:
    ///   - output: The output that delivers the metadata.
    ///   - groups: The metadata; each group applies from the start of its time range on.
    ///   - track: The track of the metadata; nil, because the metadata belong to the whole item.
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
    /// The receiver of the metadata.
    public private(set) weak var delegate: (any AVPlayerItemMetadataOutputPushDelegate)?

    /// Makes an output that belongs to no item yet.
    ///
    /// - Parameter identifiers: The identifiers of the metadata that are delivered (`AVMetadataIdentifier.rawValue`); nil delivers all metadata.
    public init(identifiers: [String]? = nil) {
        self.identifiers = identifiers.map(Set.init)
        super.init()
    }

    /// Sets the receiver of the metadata. The delegate is called on the main queue; another queue is a programmer error.
    public func setDelegate(_ delegate: (any AVPlayerItemMetadataOutputPushDelegate)?, queue delegateQueue: DispatchQueue?) {
        demandMainQueue(Self.self)
        demand(delegateQueue.map(MainQueue.isMain) ?? true, "R-META-02: the delegate of an AVPlayerItemMetadataOutput is called on the main queue")
        self.delegate = delegate
    }

    /// Delivers a group of metadata, after the notifications that are already enqueued in the present turn of the main actor.
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
