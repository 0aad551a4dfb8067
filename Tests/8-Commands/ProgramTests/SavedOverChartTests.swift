import Glibc
import Platform
import TestSupport
import Testing

/// A musician edits a chart in another program; Woodshed is used as built.
@Suite(.onLoop)
struct SavedOverChartTests {
    @Test @LoopActor func whatASaveThroughALinkLeavesIsKeptAndNamed() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let music = place.home.path("music")
        let folder = music + "/" + (try #require(try Folder.names(in: music).first))
        let links = try Folder.names(in: folder).map { folder + "/" + $0 }
        let target = try #require(
            realpath(links[0], nil).map { path in
                defer { free(path) }
                return String(cString: path)
            })
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o222 == 0, "nobody writes to it by mistake")
        let chart = try AtomicFile.read(target, limit: 1 << 24)
        // One program replaces the chart's file, and another replaces the link to a chart.
        try AtomicFile.write("%PDF-edited", to: target)
        try AtomicFile.write("%PDF-own", to: links[1])

        let unready = try await place.run("ready")
        #expect(unready.exit == .code(3) && unready.output.contains("was changed or damaged after it was downloaded"), "\(unready.output)")
        let sync = try await place.run("sync")
        #expect(sync.exit == .code(0), "\(sync.messages)")
        #expect(sync.messages.split(separator: "\n").count { $0.contains(links[1]) } == 1, "once: \(sync.messages)")
        let aside = place.home.path("data/charts/set-aside")
        let kept = try Folder.names(in: aside)
        #expect(kept.count == 1)
        #expect(try AtomicFile.read(aside + "/" + (kept.first ?? ""), limit: 100) == Array("%PDF-edited".utf8))
        #expect(try AtomicFile.read(target, limit: 1 << 24) == chart)
        #expect(try AtomicFile.read(links[1], limit: 100) == Array("%PDF-own".utf8))
        #expect(sync.output.contains(aside) && sync.messages.contains(links[1]), "\(sync.output)\(sync.messages)")
        for command in ["status", "doctor"] {
            let told = try await place.run(command).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(told.contains(aside) && told.contains("is a file of yours where the chart's link was"), "\(told)")
        }
        #expect(try await place.run("log").output.contains(kept.first ?? "?"))
    }
}
