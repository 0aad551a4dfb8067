import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// Small things that a musician tries at the command line in the first month, and the answers of the commands.
@Suite(.onLoop)
struct SmallAnswersTests {
    @Test @LoopActor func exportAndPageSayTheSameOfTheirFiles() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let out = try await Program.run("woodshed", ["export", "next", "-o", "-", "--home", place.home.path])
        #expect(out.exit == .code(0) && out.output.hasPrefix("%PDF-"), "\(out.messages)")
        for words in [
            ["export", "next", "-o", "\(place.home.path)/nodir/x.pdf"], ["why", "riverside", "1", "-o", "\(place.home.path)/nodir/x.png"],
        ] {
            let ending = try await Program.run("woodshed", words + ["--home", place.home.path])
            #expect(
                ending.exit != .code(0) && ending.messages.contains("there is no folder \(place.home.path)/nodir"), "\(ending.messages)")
        }
        for (words, name) in [(["export", "next"], "x.pdf"), (["why", "riverside", "1"], "x.png")] {
            let path = place.home.path(name)
            let ending = try await Program.run("woodshed", words + ["-o", path, "--home", place.home.path])
            #expect(ending.output.hasPrefix(path + ": "), "\(words): \(ending.output)\(ending.messages)")
        }
        let page = try await place.run("why", "riverside", "99")
        #expect(page.messages.contains(/has [0-9]+ pages?, but no page 99/), "\(page.messages)")
    }

    @Test @LoopActor func theNameAloneSaysHowTheNextPlanIs() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let ending = try await Program.run("woodshed", [], environment: ["WOODSHED_HOME=" + place.home.path])
        #expect(ending.exit == .code(0) && ending.output.contains("Ready:  yes"), "\(ending.output)\(ending.messages)")
        #expect(ending.output.split(separator: "\n").count == 3 && ending.output.contains("woodshed open"), "\(ending.output)")
    }

    @Test @LoopActor func aMistypedVariableIsSaidToBeOne() async throws {
        let place = try Place()
        let ready = try await Program.run("woodshed", ["plans", "--home", place.home.path], environment: ["WOODSHED_RENDER_WRKERS=1"])
        #expect(ready.messages.contains("did you mean 'WOODSHED_RENDER_WORKERS'?"), "\(ready.messages)")
    }

    @Test @LoopActor func anAddressWithoutItsPathIsFound() async throws {
        let home = TemporaryFolder()
        try Folder.create(home.path("config"))
        try AtomicFile.write("account:\n  api_url: https://api.example.org\n", to: home.path("config/woodshed.yaml"))
        let check = try await Program.run("woodshed", ["config", "check", "--home", home.path])
        #expect(check.messages.contains("it should probably be https://api.example.org/services/v2"), "\(check.messages)")
    }

    @Test @LoopActor func anArchiveNamesAllThatItLeavesOutAndOnlyFoldersThatAreThere() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let archive = place.home.path("home.tar")
        let left = try await place.run("export-home", archive)
        #expect(left.exit == .code(0) && left.messages.contains("(account.annotations_url: "), "\(left.messages)")
        let home = TemporaryFolder()
        let taken = try await Program.run("woodshed", ["import-home", archive, "--copy", "--home", home.path])
        #expect(taken.exit == .code(0), "\(taken.messages)")
        let isThere = access(home.path("music"), F_OK) == 0
        #expect(taken.output.contains(home.path("music")) == isThere, "\(taken.output)")
    }
}
