import Glibc

/// Whether network traffic costs money, according to NetworkManager; without that nobody knows, and it counts as free.
@LoopActor
struct MeteredNetwork {
    private let program: String
    private let bus: String
    private let clock: any TimeKeeper

    /// Asks with the program `busctl` on the system bus.
    nonisolated init(program: String = "/usr/bin/busctl", bus: String = "/run/dbus/system_bus_socket", clock: any TimeKeeper) {
        self.program = program
        self.bus = bus
        self.clock = clock
    }

    func isMetered() async -> Bool {
        guard access(program, X_OK) == 0, access(bus, F_OK) == 0 else { return false }
        let manager = "org.freedesktop.NetworkManager"
        // NetworkManager must not be started for us if it is not running.
        let answer = try? await Child.output(
            of: program,
            arguments: ["--system", "--auto-start=no", "get-property", manager, "/org/freedesktop/NetworkManager", manager, "Metered"],
            environment: [], within: .seconds(2), clock: clock)
        guard let answer, answer.exit == .code(0) else { return false }
        return Self.isMetered(String(decoding: answer.bytes, as: UTF8.self))
    }

    /// Reads `u 1`: 1 is yes, 3 is probably yes.
    nonisolated static func isMetered(_ property: String) -> Bool {
        let words = property.split(whereSeparator: \.isWhitespace)
        return words.count == 2 && words[0] == "u" && (words[1] == "1" || words[1] == "3")
    }
}
