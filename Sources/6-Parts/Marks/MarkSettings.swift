public import Model

/// Where the user's own mark files are, and when they are read.
public struct MarkSettings: Hashable, Sendable {
    public var roots: MarkRoots
    /// For how long a file must be left alone before it is read.
    public var settle: Duration
    /// After how long a file that is written without a pause is read all the same.
    public var settleMost: Duration
    /// How many former states are kept of each file that loses marks.
    public var history: Int

    /// Makes settings; without folders there are no mark files.
    public init(
        roots: MarkRoots = MarkRoots([]), settle: Duration = .milliseconds(150), settleMost: Duration = .seconds(2),
        history: Int = MarkHistory.states
    ) {
        self.roots = roots
        self.settle = settle
        self.settleMost = settleMost
        self.history = history
    }
}
