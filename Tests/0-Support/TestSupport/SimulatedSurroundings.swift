public import Platform

/// A machine whose conditions and events a test decides.
@LoopActor
public final class SimulatedSurroundings: Surroundings {
    /// The cost of power and network.
    public var present = MachineConditions()
    private var handler: (@LoopActor (MachineEvent) -> Void)?

    /// Makes a machine on mains, on a free network.
    public nonisolated init() {}

    /// Whether somebody listens.
    public var isWatched: Bool { handler != nil }

    public var isOnBattery: Bool { present.isOnBattery }

    public func conditions() async -> MachineConditions { present }

    public func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void) { self.handler = handler }

    public func stop() { handler = nil }

    /// Sends an event.
    public func happen(_ event: MachineEvent) { handler?(event) }
}
