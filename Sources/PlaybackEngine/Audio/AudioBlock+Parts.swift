extension AudioBlock {
    /// Splits the block of audio into two blocks: the frames before index `frame`, and the remaining frames.
    func split(at frame: Int) -> (AudioBlock, AudioBlock) { (part(0, frame), part(frame, frameCount)) }

    private func part(_ first: Int, _ last: Int) -> AudioBlock {
        AudioBlock(position: position + Int64(first), frameCount: last - first, channelCount: channelCount) { buffer in
            _ = buffer.initialize(from: samples[(first * channelCount)..<(last * channelCount)])
        }
    }
}
