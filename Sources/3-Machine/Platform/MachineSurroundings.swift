import Glibc

/// The machine that this program runs on. It is asked only when a decision needs it, and wakes nobody who need not know.
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

    public var isOnBattery: Bool { power.isOnBattery }

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
