import Glibc

/// The machine that this program runs on. It is asked when something is decided, and wakes nobody who does not have to know.
@LoopActor
public final class MachineSurroundings: Surroundings {
    private let power: PowerSupplies
    private let network: MeteredNetwork
    private let routes = NetworkRoutes()
    private let clockChanges = ClockChanges()

    /// Makes them; nothing is watched yet.
    public init(clock: any TimeKeeper) {
        power = PowerSupplies()
        network = MeteredNetwork(clock: clock)
    }

    public func conditions() async -> MachineConditions {
        MachineConditions(isOnBattery: power.isOnBattery, isMetered: await network.isMetered())
    }

    public func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void) {
        routes.start { handler(.networkCame) }
        clockChanges.start(handler)
    }

    public func stop() {
        routes.stop()
        clockChanges.stop()
    }
}
