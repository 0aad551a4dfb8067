public import Platform

/// A machine whose conditions and events are set by a test.
@LoopActor
public final class SimulatedSurroundings: Surroundings {
    /// The current state of power and network.
    public var present = MachineConditions()
    private var handler: (@LoopActor (MachineEvent) -> Void)?

    /// Creates a machine on mains power and an unmetered network.
    public nonisolated init() {}

    /// Whether a handler is set.
    public var isWatched: Bool { handler != nil }

    public var isOnBattery: Bool { present.isOnBattery }

    public func conditions() async -> MachineConditions { present }

    public func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void) { self.handler = handler }

    public func stop() { handler = nil }

    public func happen(_ event: MachineEvent) { handler?(event) }
}
