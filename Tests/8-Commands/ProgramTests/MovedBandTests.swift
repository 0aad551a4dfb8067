import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// A home was moved to a new laptop, but the musician also goes on using the former laptop.
@Suite(.onLoop)
struct MovedBandTests {
    @Test @LoopActor func theOneInUseDoesNotLeaveTheBandBecauseTheFormerOneClears() async throws {
        let place = try Place()
        defer { place.service.stop() }
        let (band, archive, new) = (place.home.path("band"), place.home.path("home.zip"), place.home.path("new"))
        func onNew(_ words: String...) async throws -> Program.Result { try await Program.run("woodshed", words + ["--home", new]) }
        func devices() throws -> [String] { try Folder.names(in: band + "/d").sorted() }
        func hasLeft(_ device: String) throws -> Bool {
            let head = String(decoding: try AtomicFile.read("\(band)/d/\(device)/head.json", limit: 1 << 20), as: UTF8.self)
            return head.contains(#""left":true"#)
        }
        /// Runs an agent until its report to the band has arrived.
        func speak(_ home: String, until isSaid: () async throws -> Bool) async throws {
            let agent = try Program("woodshed", ["agent", "--home", home])
            try await waitUntil { (try? await isSaid()) == true }
            agent.child.kill(SIGTERM)
            _ = try await agent.result()
        }
        #expect(try await place.run("band", "create", band, "--name", "Harmony", "--person", "Anna").exit == .code(0))
        try await speak(place.home.path) { try devices().count == 1 }
        #expect(try await place.run("export-home", archive).exit == .code(0))
        let device = try #require(try devices().first)
        #expect(try await onNew("import-home", archive, "--moved").exit == .code(0))
        // Settings about places are not taken from an archive before a person agrees; here the test copies them.
        let settings = String(decoding: try AtomicFile.read(place.home.path("config/woodshed.yaml"), limit: 1 << 16), as: UTF8.self)
        try AtomicFile.write(settings, to: new + "/config/woodshed.yaml")
        let head = "\(band)/d/\(device)/head.json"
        let said = try AtomicFile.read(head, limit: 1 << 20)
        try await speak(new) { try AtomicFile.read(head, limit: 1 << 20) != said }
        // The former laptop now reports as another device.
        try await speak(place.home.path) {
            let isRead = try await place.run("band").messages.contains("woodshed band mine \(device)")
            return try isRead && devices().count == 2
        }

        let told = try await place.run("band")
        #expect(told.messages.contains("nother laptop speaks to the band as \(device)"), "\(told)")
        #expect(told.messages.contains("woodshed band mine \(device)"), "\(told)")
        let refused = try await place.run("band", "clear")
        #expect(refused.exit == .code(2) && refused.messages.contains("would leave the band"), "\(refused)")
        #expect(try !hasLeft(device))
        // With the device's name, the musician confirms that this device leaves.
        #expect(try await place.run("band", "clear", device).exit == .code(0))
        #expect(try hasLeft(device))
    }
}
