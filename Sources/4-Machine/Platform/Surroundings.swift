import CShims
import Glibc

/// What the program must know about the machine: its power supply, its network, its clock, and when it slept. Tests simulate this.
@LoopActor
public protocol Surroundings: AnyObject {
    /// Whether the machine runs on its battery; returns immediately.
    var isOnBattery: Bool { get }

    /// Whether power and network are costly at present.
    func conditions() async -> MachineConditions

    /// Calls `handler` on the loop for every event from now on.
    func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void)

    /// Stops the events; the handler is not called any more.
    func stop()
}

public struct MachineConditions: Hashable, Sendable {
    public var isOnBattery: Bool
    public var isMetered: Bool

    /// By default, nothing is costly.
    public init(isOnBattery: Bool = false, isMetered: Bool = false) { (self.isOnBattery, self.isMetered) = (isOnBattery, isMetered) }
}

public enum MachineEvent: Hashable, Sendable {
    /// A route to the outside has appeared.
    case networkCame
    /// The machine has slept, and events during that time were missed.
    case wokeUp
    case clockJumped
}

/// The real machine. It is queried only when a decision depends on it, and wakes no other program without need.
@LoopActor
public final class MachineSurroundings: Surroundings {
    private let power: PowerSupplies
    private let network: MeteredNetwork
    private let routes = NetworkRoutes()
    private let clockChanges = ClockChanges()

    /// Watches nothing until `start`.
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

/// The power supplies that the kernel lists.
struct PowerSupplies: Sendable {
    private let folder: String

    /// Reads from `folder`, which contains a subfolder for every supply.
    init(folder: String = "/sys/class/power_supply") { self.folder = folder }

    /// Whether the machine runs on its own battery. A machine without information about power counts as plugged in.
    var isOnBattery: Bool {
        let supplies = (try? Folder.names(in: folder)) ?? []
        var discharges = false
        for supply in supplies {
            // A mouse has a battery, too: skip it.
            guard read("scope", of: supply) != "Device" else { continue }
            switch read("type", of: supply) {
            case "Battery": discharges = discharges || read("status", of: supply) == "Discharging"
            case "Mains", "USB": if read("online", of: supply) == "1" { return false }
            default: break
            }
        }
        return discharges
    }

    private func read(_ name: String, of supply: String) -> String? {
        guard let file = try? Descriptor.open("\(folder)/\(supply)/\(name)", O_RDONLY), let bytes = try? file.readAll(limit: 4096) else {
            return nil
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// Whether network traffic costs money according to NetworkManager; without NetworkManager it counts as free.
@LoopActor
struct MeteredNetwork {
    private let program: String
    private let bus: String
    private let clock: any TimeKeeper

    /// Queries the system bus with the program `busctl`.
    nonisolated init(program: String = "/usr/bin/busctl", bus: String = "/run/dbus/system_bus_socket", clock: any TimeKeeper) {
        (self.program, self.bus, self.clock) = (program, bus, clock)
    }

    func isMetered() async -> Bool {
        guard access(program, X_OK) == 0, access(bus, F_OK) == 0 else { return false }
        let manager = "org.freedesktop.NetworkManager"
        // Do not start NetworkManager if it is not running.
        let answer = try? await Child.output(
            of: program,
            arguments: ["--system", "--auto-start=no", "get-property", manager, "/org/freedesktop/NetworkManager", manager, "Metered"],
            environment: [], within: .seconds(2), clock: clock)
        guard let answer, answer.exit == .code(0) else { return false }
        return Self.isMetered(String(decoding: answer.bytes, as: UTF8.self))
    }

    /// Parses `u 1`: 1 means yes, and 3 probably yes.
    nonisolated static func isMetered(_ property: String) -> Bool {
        let words = property.split(whereSeparator: \.isWhitespace)
        return words.count == 2 && words[0] == "u" && (words[1] == "1" || words[1] == "3")
    }
}

/// Reports when a route to the outside has appeared. The kernel announces every change of routes; only a gateway that was not there
/// before is reported.
@LoopActor
final class NetworkRoutes {
    private let folder: String
    private var socket: Descriptor?
    private var watch: DescriptorWatch?
    private var gateways: Set<String> = []

    /// Reads the routes from files in `folder`.
    nonisolated init(folder: String = "/proc/net") { self.folder = folder }

    func start(_ handler: @escaping @LoopActor () -> Void) {
        stop()
        let number = woodshed_route_socket()
        guard number >= 0 else { return }
        gateways = Self.gateways(in: folder)
        watch = try? Loop.shared.watch(number, for: .read) { [weak self] _ in
            Self.drain(number)
            if self?.hasNewGateway() == true { handler() }
        }
        socket = Descriptor(owning: number)
    }

    func stop() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
        socket = nil
    }

    private func hasNewGateway() -> Bool {
        let before = gateways
        gateways = Self.gateways(in: folder)
        return !gateways.isSubset(of: before)
    }

    private nonisolated static func drain(_ number: Int32) {
        var news = [UInt8](repeating: 0, count: 8192)
        // Lost messages do no harm: the routes are read again anyway.
        while recv(number, &news, news.count, 0) > 0 || errno == ENOBUFS || errno == EINTR { errno = 0 }
    }

    /// The machine's default routes, each as its gateway and interface.
    nonisolated static func gateways(in folder: String) -> Set<String> {
        let version4 = lines(of: folder + "/route").compactMap { fields -> String? in
            // The fields are interface, destination, gateway, …, mask; a default route has a destination and a mask of zeros.
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" else { return nil }
            return fields[0] + " " + fields[2]
        }
        let version6 = lines(of: folder + "/ipv6_route").compactMap { fields -> String? in
            // Destination and its length, source and its length, next hop, …, interface. `lo` rejects packets that have no route.
            guard fields.count > 9, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }), fields[9] != "lo" else { return nil }
            return fields[9] + " " + fields[4]
        }
        return Set(version4 + version6)
    }

    private nonisolated static func lines(of path: String) -> [[String]] {
        // No practice laptop has more routes than fit in this limit, so a longer list is ignored.
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(limit: 1 << 20) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
        }
    }
}

/// Reports when the time of day was set, and when the machine has slept: the kernel announces both with the same event.
@LoopActor
final class ClockChanges {
    private var timer: Descriptor?
    private var watch: DescriptorWatch?
    /// How long the machine has slept since it started.
    private var slept = ClockChanges.timeAsleep()

    nonisolated init() {}

    func start(_ handler: @escaping @LoopActor (MachineEvent) -> Void) {
        stop()
        let number = woodshed_clock_change_timer()
        guard number >= 0 else { return }
        slept = Self.timeAsleep()
        watch = try? Loop.shared.watch(number, for: .read) { [weak self] _ in
            guard let self, woodshed_clock_change_read(number) == 1 else { return }
            handler(hasSlept() ? .wokeUp : .clockJumped)
        }
        timer = Descriptor(owning: number)
    }

    func stop() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
        timer = nil
    }

    private func hasSlept() -> Bool {
        let before = slept
        slept = Self.timeAsleep()
        // The two clocks are read one after the other, so a smaller difference does not mean that the machine slept.
        return slept - before > .milliseconds(500)
    }

    private nonisolated static func timeAsleep() -> Duration {
        time(CLOCK_BOOTTIME) - time(CLOCK_MONOTONIC)
    }

    private nonisolated static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
