public import Platform

/// A machine of which a test decides what it goes through.
@LoopActor
public final class SimulatedSurroundings: Surroundings {
    /// What power and network cost.
    public var present = MachineConditions()
    private var handler: (@LoopActor (MachineEvent) -> Void)?

    /// Makes one on mains, on a free network.
    public nonisolated init() {}

    /// Whether somebody listens.
    public var isWatched: Bool { handler != nil }

    public var isOnBattery: Bool { present.isOnBattery }

    public func conditions() async -> MachineConditions { present }

    public func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void) { self.handler = handler }

    public func stop() { handler = nil }

    /// Lets something happen.
    public func happen(_ event: MachineEvent) { handler?(event) }
}
