import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The built agent, and a tablet on a separate machine: a network namespace at the other end of a cable.
@Suite(.onLoop, .needs(.otherPrograms))
struct AnotherMachineTests {
    private static let unshare = "/usr/bin/unshare"
    private static let token = "correct-horse+battery"

    /// Whether this system allows a cable between two network namespaces, and has the tools for requests through it.
    nonisolated private static let isAllowed: Bool = {
        let programs: [String] = ["/usr/sbin/ip", "/usr/bin/nsenter", "/usr/bin/curl"]
        guard programs.allSatisfy({ (program: String) in access(program, X_OK) == 0 }) else { return false }
        return system("exec \(unshare) -rn /usr/sbin/ip link add v0 type veth peer name v1 2>/dev/null") == 0
    }()

    /// Starts an agent on one machine, signs in from the other, and prints the status of each machine's answers from then on.
    private static let script = #"""
        PATH=$PATH:/usr/sbin
        site=http://10.77.0.1:8737
        ip link set lo up
        unshare -n sleep 600 & other=$!
        ip link add v0 type veth peer name v1
        until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
        ip link set v1 netns $other
        ip addr add 10.77.0.1/24 dev v0 && ip link set v0 up
        tablet() { nsenter -t $other -n "$@"; }
        tablet ip addr add 10.77.0.2/24 dev v1 && tablet ip link set v1 up
        "$0" agent --home "$1" 2>"$1/log" & agent=$!
        until curl -s -o "$1/page" $site/; do kill -0 $agent; done
        tablet curl -s -D "$1/in" -o "$1/page" -H "Origin: $site" -H 'Content-Type: text/plain' --data-binary "token=$2" $site/
        cookie=$(sed -n 's/^Set-Cookie: \([^;]*\).*/\1/p' "$1/in")
        token=$(sed -n 's/^Location: .*#token=\([0-9a-f]*\).*/\1/p' "$1/in")
        ask() { "$@" -s -o /dev/null -w '%{http_code}\n' -H "Cookie: $cookie" -H "X-Woodshed-Token: $token" $site/api/state; }
        ask tablet curl
        ask curl
        ask curl --interface 127.0.0.1
        ask tablet curl
        kill $agent $other
        wait $agent
        """#

    @Test(.enabled(if: isAllowed, "unshare -rn, veth, nsenter or curl is not to be had here"))
    @LoopActor func whatLetsATabletInIsRefusedFromTheAgentsOwnMachine() async throws {
        let demo = try StandIn.start()
        let home = try AgentHome(demo)
        // The stand-in is on a network that the agent's machine cannot reach.
        demo.stop()
        let file = home.folder.path("config/woodshed.yaml")
        let settings = String(decoding: try AtomicFile.read(file, limit: 4096), as: UTF8.self)
        try AtomicFile.write(
            settings + "\nviewer: {port: 8737, listen: 10.77.0.1, token_file: \(home.folder.path("viewer"))}\n", to: file)
        try AtomicFile.write(Self.token + "\n", to: home.folder.path("viewer"))
        let result = try await Program.run(
            Self.unshare,
            ["-rn", "/bin/sh", "-ec", Self.script, Program.folder + "/woodshed", home.folder.path, Self.token],
            environment: ["WOODSHED_VIEWER_PORT=8737"])
        #expect(result.exit == .code(0) && result.output == "200\n403\n403\n200\n", "\(result.output)\(result.messages)")
    }
}
