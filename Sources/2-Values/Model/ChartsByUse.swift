/// One value for each chart that is here, by the use that it was downloaded for.
///
/// A use whose own chart is not here yet gets the newest one of its attachment, in whatever key that is: better than nothing on
/// the stand, and its version shows that it is not the right one.
public struct ChartsByUse<Value: Sendable>: Sendable {
    private var own: [ChartUse: Value?] = [:]
    private var newest: [AttachmentID: Value?] = [:]

    /// Holds nothing.
    public init() {}

    /// Adds a chart, with `nil` if nothing is known of it yet; the charts of one attachment must be added newest first.
    package mutating func add(_ value: Value?, for use: ChartUse) {
        own.updateValue(value, forKey: use)
        if newest[use.attachment] == nil { newest.updateValue(value, forKey: use.attachment) }
    }

    /// The value for a use.
    public subscript(use: ChartUse) -> Value? { own[use] ?? newest[use.attachment] ?? nil }
}
