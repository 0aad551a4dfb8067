import TestSupport
import Testing

@testable import Platform

@Suite(.onLoop)
struct SurroundingsTests {
    private func supplies(_ all: [String: [String: String]]) throws -> Bool {
        let folder = TemporaryFolder()
        for (name, values) in all {
            try Folder.create(folder.path(name))
            for (key, value) in values { try AtomicFile.write(value + "\n", to: folder.path("\(name)/\(key)")) }
        }
        return PowerSupplies(folder: folder.path).isOnBattery
    }

    @Test func aDischargingBatteryWithoutMainsIsBattery() throws {
        let battery = ["type": "Battery", "status": "Discharging"]
        #expect(try supplies(["BAT0": battery]))
        #expect(try supplies(["BAT0": battery, "AC": ["type": "Mains", "online": "0"]]))
        #expect(try !supplies(["BAT0": battery, "AC": ["type": "Mains", "online": "1"]]))
        #expect(try !supplies(["BAT0": battery, "usb": ["type": "USB", "online": "1"]]))
        #expect(try !supplies(["BAT0": ["type": "Battery", "status": "Full"]]))
        #expect(try !supplies(["mouse": battery.merging(["scope": "Device"]) { $1 }]), "a mouse feeds no machine")
        #expect(try !supplies([:]))
        #expect(!PowerSupplies(folder: "/nowhere").isOnBattery)
    }

    @Test func gatewaysAreReadFromTheKernelsTables() throws {
        let folder = TemporaryFolder()
        try AtomicFile.write(
            """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
            wlan0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0

            """, to: folder.path("route"))
        let zeros = String(repeating: "0", count: 32)
        try AtomicFile.write(
            """
            \(zeros) 00 \(zeros) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003    wlan0
            \(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo

            """, to: folder.path("ipv6_route"))
        #expect(
            NetworkRoutes.gateways(in: folder.path) == ["wlan0 0101A8C0", "wlan0 fe800000000000000000000000000001"])
        #expect(NetworkRoutes.gateways(in: "/nowhere").isEmpty)
    }

    @Test(arguments: [("u 1\n", true), ("u 3", true), ("u 2", false), ("u 4", false), ("u 0", false), ("", false), ("b true", false)])
    func meteredIsAYesOrAGuessAtIt(_ property: String, _ isMetered: Bool) {
        #expect(MeteredNetwork.isMetered(property) == isMetered)
    }

    @Test @LoopActor func aMuteManagerCountsAsFree() async throws {
        let folder = TemporaryFolder()
        let program = folder.path("busctl")
        try AtomicFile.write("#!/bin/sh\nexec sleep 1000\n", to: program, mode: 0o700)
        let clock = SimulatedClock()
        let network = MeteredNetwork(program: program, bus: folder.path, clock: clock)
        #expect(await clock.run { await network.isMetered() } == false)
        try AtomicFile.write("#!/bin/sh\necho u 1\n", to: program, mode: 0o700)
        // Nothing advances this clock, so the request never times out, even on a busy machine.
        #expect(await MeteredNetwork(program: program, bus: folder.path, clock: SimulatedClock()).isMetered())
    }

    @Test @LoopActor func watchingTheMachineStartsAndEnds() async throws {
        let before = try Folder.names(in: "/proc/self/fd").count
        for _ in 0..<50 {
            let machine = MachineSurroundings(clock: SystemClock())
            machine.start { _ in }
            _ = await machine.conditions()
            machine.stop()
        }
        // The count cannot be exact, since other tests open and close descriptors in the meantime.
        #expect(try Folder.names(in: "/proc/self/fd").count < before + 50)
    }
}
