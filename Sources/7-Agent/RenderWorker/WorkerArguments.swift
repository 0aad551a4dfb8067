/// What the parent tells a worker for its whole life.
struct WorkerArguments: Equatable {
    /// The parent's process number.
    var parent: Int32 = 0
    /// How many bytes of memory may be mapped.
    var addressSpace: UInt = 2 << 30
    /// Whether it only computes when nobody else does.
    var isBackground = false
    /// Walls of the sandbox to leave out, so that a test can see the effect.
    var omitted: Set<Sandbox.Wall> = []
    /// Whether to report on the sandbox instead of doing jobs.
    var isTrial = false

    /// Reads the arguments; `nil` if they are not those of a worker.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--try-out": isTrial = true
            case "--without":
                guard let wall = rest.popFirst().flatMap({ Sandbox.Wall(rawValue: $0) }) else { return nil }
                omitted.insert(wall)
            case "--background": isBackground = true
            case "--parent":
                guard let value = rest.popFirst().flatMap({ Int32($0) }) else { return nil }
                parent = value
            case "--address-space":
                guard let value = rest.popFirst().flatMap({ UInt($0) }) else { return nil }
                addressSpace = value
            default: return nil
            }
        }
        guard parent > 0 || isTrial else { return nil }
    }
}
