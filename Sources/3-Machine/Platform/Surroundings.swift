/// What happens to the machine that a program cannot see by itself; tests put simulated surroundings in their place.
@LoopActor
public protocol Surroundings: AnyObject {
    /// Whether the machine runs on its battery; answered at once.
    var isOnBattery: Bool { get }

    /// What power and network cost at present.
    func conditions() async -> MachineConditions

    /// Calls `handler` on the loop for every event from now on.
    func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void)

    /// Stops the events; none comes after this.
    func stop()
}

/// What power and network cost.
public struct MachineConditions: Hashable, Sendable {
    public var isOnBattery: Bool
    /// Whether network traffic costs money.
    public var isMetered: Bool

    /// Describes them; by default nothing is expensive.
    public init(isOnBattery: Bool = false, isMetered: Bool = false) {
        self.isOnBattery = isOnBattery
        self.isMetered = isMetered
    }
}

/// Something that happened to the whole machine.
public enum MachineEvent: Hashable, Sendable {
    /// There is a way out to a network that was not there before.
    case networkCame
    /// It slept, and whatever happened meanwhile was not seen.
    case wokeUp
    /// The time of day was set.
    case clockJumped
}
