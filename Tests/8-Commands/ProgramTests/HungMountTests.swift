import Glibc
import Platform
import StandInSupport
import TestSupport
import Testing

/// If a network folder hangs, all music can still be played, whether the folder contains the band's files, marks, links or PDFs.
@Suite(.onLoop, .needs(.otherPrograms))
struct HungMountTests {
    /// The limit for a step while folders hang: longer than any step takes, but far shorter than a hang. It grows with `whole`, the time
    /// in which an agent starts while all folders answer, which shows how busy the machine is.
    private static func soon(beside whole: Duration) -> Duration { .seconds(3) + whole * 4 }

    @LoopActor private func home(on mount: MountedFolder) async throws -> Place {
        let place = try Place()
        let file = place.home.path("config/woodshed.yaml")
        for folder in ["band", "marks", "music", "pdfs"] { try Folder.create(mount.path + "/" + folder) }
        let settings = String(decoding: try AtomicFile.read(file, limit: 10_000), as: UTF8.self)
        try AtomicFile.write(
            settings + "\nannotations:\n  folders: [\(mount.path)/marks]\nfolders:\n  music: \(mount.path)/music\n"
                + "export:\n  folder: \(mount.path)/pdfs\n", to: file)
        #expect(try await place.run("band", "create", mount.path + "/band", "--name", "Harmony", "--person", "Anna").exit == .code(0))
        #expect(try await place.run("sync").exit == .code(0))
        return place
    }

    @LoopActor private func run(_ words: [String], _ place: Place) async throws -> Program.Result {
        try await Program.run("woodshed", words + (words.contains("--home") ? [] : ["--home", place.home.path]))
    }

    @LoopActor private func agent(_ place: Place) throws -> Program { try Program("woodshed", ["agent", "--home", place.home.path]) }

    /// Measures the time that some work takes.
    @LoopActor private func time(_ work: @LoopActor () async throws -> Void) async throws -> Duration {
        let start = SystemClock().now
        try await work()
        return SystemClock().now - start
    }

    @Test(.whereFoldersCanBeMounted) @LoopActor func anAgentServesDrawsAndEndsThoughItsFoldersDoNotAnswer() async throws {
        let mount = try await MountedFolder()
        let place = try await home(on: mount)
        defer { place.service.stop() }
        let first = try agent(place)
        var firstPen: Pen?
        let soon = Self.soon(beside: try await time { firstPen = try await Pen(place, at: first) })
        try await waitUntil { try first.messagesSoFar().contains("asleep") }
        let pen = try #require(firstPen)
        #expect(try await pen.draw(1))

        mount.hold()
        // The musician who draws gets an error message, and every other request is answered meanwhile.
        let drawing = spawnThrowing { try await pen.draw(2) }
        var slowest = Duration.zero
        for path in ["/", "/api/state", "/api/charts/\(pen.charts[0])"] + Array(repeating: "/api/state", count: 30) {
            let answer = try await pen.look(at: path)
            slowest = max(slowest, answer.took)
            #expect(answer.status < 500, "\(path): \(answer.status)")
        }
        #expect(slowest < soon, "\(slowest)")
        #expect(try await !drawing.value)
        var result: Program.Result?
        let end = try await time {
            first.child.kill(SIGTERM)
            result = try await first.result()
        }
        #expect(result?.exit == .code(0) && end < soon, "\(end)")

        // The next agent starts although the folder hangs.
        let second = try agent(place)
        var next: Pen?
        let beginning = try await time { next = try await Pen(place, at: second) }
        #expect(beginning < soon, "\(beginning)")
        let again = try #require(next)
        #expect(try await !again.draw(3))
        #expect(try await again.look().status == 200)
        let said = try second.messagesSoFar()
        #expect(said.contains("\(mount.path)/marks does not answer"), "\(said)")

        // New marks are saved once the folder answers.
        mount.go()
        try await waitUntil { try await again.draw(3) }
        try await waitUntil { try second.messagesSoFar().contains("answers again") }
        #expect(try await again.marks(on: again.charts[0]).isSuperset(of: ["m3"]))
        #expect(try await again.marks(on: again.charts[1]).isSuperset(of: ["m1"]))
        second.child.kill(SIGTERM)
        let messages = try await second.result().messages
        #expect(!messages.contains("error"), "\(messages)")
        print("slowest answer \(slowest), end \(end), beginning \(beginning), soon \(soon)")
    }

    @Test(.whereFoldersCanBeMounted) @LoopActor func commandsEndWithAWordAndOthersDoNotNotice() async throws {
        let mount = try await MountedFolder()
        let place = try await home(on: mount)
        defer { place.service.stop() }
        let soon = Self.soon(beside: try await time { _ = try await run(["plans"], place) })
        mount.hold()
        let word = "does not answer"
        let needing: [(words: [String], code: Int32)] = [
            (["band"], 3), (["band", "ready"], 3), (["doctor", "--offline"], 3), (["ready"], 3), (["status"], 0),
            (["band", "create", mount.path + "/other", "--name", "Other", "--home", place.home.path("other")], 3),
        ]
        let others = [["open"], ["plans"], ["log"], ["config", "show"]]
        func timed(_ words: [String]) -> Task<(Program.Result, Duration), any Error> {
            spawnThrowing {
                let start = SystemClock().now
                return (try await run(words, place), SystemClock().now - start)
            }
        }
        let (first, second) = (needing.map { timed($0.words) }, others.map { timed($0) })
        // The programs wait for ten seconds. A busy machine adds more time, which is measured by the commands that need no folder.
        var unhindered = Duration.zero
        for task in second { unhindered = max(unhindered, try await task.value.1) }
        for (asked, task) in zip(needing, first) {
            let (result, took) = try await task.value
            #expect(took < .seconds(20) + unhindered * 4, "\(asked.words): \(took), others \(unhindered)")
            #expect(
                result.exit == .code(asked.code) && (result.output + result.messages).contains(word), "\(asked.words): \(result)")
        }
        for (words, task) in zip(others, second) {
            let (result, took) = try await task.value
            #expect(took < soon && !result.messages.contains(word), "\(words): \(result)")
        }
        mount.go()
        #expect(try await place.run("band").exit == .code(0))
    }
}
