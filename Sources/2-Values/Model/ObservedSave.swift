/// When a mark file was saved, as far as this library saw it: clocks of other machines have no say in that.
public struct ObservedSave: Hashable, Comparable, Sendable {
    /// The look at mark files that found it; later ones have higher numbers.
    public let look: Int
    /// The file's own time, for saves that the same look found; nothing if that was in the future.
    public let time: Int64

    /// Takes what the catalogue says.
    public init(look: Int, time: Int64) {
        self.look = look
        self.time = time
    }

    /// Notes a save that was found at `now`.
    public init(look: Int, of stamp: FileStamp, now: Timestamp) {
        self.init(look: look, time: stamp.modified > now.nanoseconds ? .min : stamp.modified)
    }

    public static func < (left: ObservedSave, right: ObservedSave) -> Bool { (left.look, left.time) < (right.look, right.time) }
}
