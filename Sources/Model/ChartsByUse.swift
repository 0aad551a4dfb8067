/// Something of each chart that is here, by the use that it was fetched for.
///
/// A use whose own chart has not come yet has the newest one of its attachment, in whichever key that is: better than nothing on
/// the stand, and its version says that it is not the right one.
public struct ChartsByUse<Value: Sendable>: Sendable {
    private var own: [ChartUse: Value?] = [:]
    private var newest: [AttachmentID: Value?] = [:]

    /// Holds nothing.
    public init() {}

    /// Adds a chart, with `nil` where nothing is known of it yet; of those of one attachment, the newest comes first.
    package mutating func add(_ value: Value?, for use: ChartUse) {
        own.updateValue(value, forKey: use)
        if newest[use.attachment] == nil { newest.updateValue(value, forKey: use.attachment) }
    }

    /// What there is for a use.
    public subscript(use: ChartUse) -> Value? { own[use] ?? newest[use.attachment] ?? nil }
}
