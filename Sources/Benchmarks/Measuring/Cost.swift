/// What something took, in milliseconds.
struct Cost: Hashable, Sendable {
    /// CPU time of every process that took part.
    var cpu: Double
    /// Time by the clock on the wall.
    var wall: Double
}
