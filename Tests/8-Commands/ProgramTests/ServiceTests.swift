import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// The agent, as built, run by the session's service manager.
@Suite(.onLoop)
struct ServiceTests {
    @Test @LoopActor func theManagerIsToldHowFarTheAgentIs() async throws {
        let place = try Place()
        let manager = try NotifySocket(place.home.path("notify"))
        var told = ""
        func isTold(_ text: String) -> Bool {
            while let more = manager.next() { told += more }
            return told.contains(text)
        }
        let agent = try Program(
            "woodshed", ["agent", "--home", place.home.path], environment: ["NOTIFY_SOCKET=" + place.home.path("notify")])
        try await waitUntil { isTold("READY=1\nSTATUS=making the upcoming plans ready\n") }
        try await waitUntil { isTold("STATUS=3 upcoming plans, ") }
        agent.child.kill(SIGHUP)
        try await waitUntil { isTold("RELOADING=1\n") }
        // Messages after RELOADING may have arrived already.
        told = String(told[(told.firstRange(of: "RELOADING=1\n")?.upperBound ?? told.endIndex)...])
        try await waitUntil { isTold("READY=1\n") }
        place.service.setFault(.unauthorised, on: .me)
        agent.child.kill(SIGHUP)
        try await waitUntil { isTold("STATUS=service: the service does not accept your token") }
        place.service.setFault(nil, on: .me)
        told = ""
        place.service.stop()
        agent.child.kill(SIGHUP)
        try await waitUntil { isTold("STATUS=service: ") }
        agent.child.kill(SIGTERM)
        let result = try await agent.result()
        #expect(result.exit == .code(0) && isTold("STOPPING=1\n"), "\(told)\(result.messages)")
    }

    private static let verifier = "/usr/bin/systemd-analyze"

    @Test(.enabled(if: access(verifier, X_OK) == 0)) @LoopActor func theSampleUnitIsUnderstood() async throws {
        let folder = TemporaryFolder()
        let unit = try Repository.text("sample-config/woodshed.service")
        // `/bin/true` surely exists; the program that the manual names may not.
        let path = folder.path("woodshed.service")
        func verify(_ unit: String) async throws -> Program.Result {
            try AtomicFile.write(unit.replacing("/usr/bin/woodshed", with: "/bin/true"), to: path)
            return try await Program.run(
                Self.verifier, ["--user", "--man=no", "verify", path], environment: ["XDG_RUNTIME_DIR=" + folder.path])
        }
        let right = try await verify(unit)
        #expect(right.exit == .code(0) && right.output + right.messages == "", "\(right.messages)")
        let wrong = try await verify(unit.replacing("Type=notify", with: "Tipe=notify"))
        #expect(wrong.messages.contains("Tipe"))
    }
}
