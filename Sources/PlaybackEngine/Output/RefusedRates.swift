/// The sample rates that a device has not taken, so that it is not asked for them again and again: each question opens the device once more. The
/// engine's thread owns the `RefusedRates`.
final class RefusedRates {
    /// The device, and the rate that it kept.
    private var device: (id: String, rate: Int)?
    private var refused: Set<Int> = []

    /// Records that the device kept its rate `rate` when it was asked for the rate `asked`. Discards the records about another device, or about this
    /// device at another rate.
    func note(_ asked: Int, by id: String, at rate: Int) {
        if device.map({ $0 == (id, rate) }) != true { (device, refused) = ((id, rate), []) }
        refused.insert(asked)
    }

    /// Whether a device has refused the rate `asked`, and still has the rate that it had then.
    func contains(_ asked: Int, by id: String, at rate: Int) -> Bool { device.map { $0 == (id, rate) } == true && refused.contains(asked) }
}
