/// What something took, in milliseconds.
struct Cost: Hashable, Sendable {
    /// The CPU time of all processes involved.
    var cpu: Double
    /// The wall time.
    var wall: Double
}
