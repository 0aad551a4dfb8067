import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// `woodshed ready` and `status`, as built, in a home with all kinds of faults.
@Suite(.onLoop, .serialized)
struct ReadyTests {
    private struct Answer: Decodable {
        struct Plan: Decodable {
            struct Chart: Decodable {
                struct Lack: Decodable {
                    let reason: String, path: String?, message: String
                }
                let id: String, filename: String, hash: String?, ready: Bool, lacks: [Lack]
            }
            let id: String, ready: Bool, pages: Int, charts: [Chart]
        }
        let schema: Int, ready: Bool, plans: [Plan]

        var lacks: [String] { plans.flatMap(\.charts).flatMap(\.lacks).map(\.reason) }
    }

    private let home = TemporaryFolder()
    private let sizes = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]

    @LoopActor
    private func run(_ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", home.path], environment: sizes)
    }

    @LoopActor
    private func ready(_ words: String..., exit: Int32) async throws -> Answer {
        let result = try await Program.run("woodshed", ["ready", "--json"] + words + ["--home", home.path], environment: sizes)
        #expect(result.exit == .code(exit), "\(result.output) \(result.messages)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    private func images(_ variant: String, of hash: String) throws -> [String] {
        let folder = home.path("cache/pages/" + hash.prefix(32))
        return try Folder.names(in: folder).filter { $0.contains("-\(variant)-") }.sorted().map { folder + "/" + $0 }
    }

    /// Changes a byte in the middle of a file; its length, beginning and end stay the same.
    private func scratch(_ path: String) throws {
        var bytes = try AtomicFile.read(path, limit: 1 << 24)
        bytes[bytes.count / 2] ^= 0xFF
        // A chart's file is read-only, except for root.
        chmod(path, 0o600)
        let file = open(path, O_WRONLY)
        #expect(bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count)
        close(file)
    }

    /// An unreadable folder may contain marks that were never read, so its plan is not ready.
    @Test(arguments: [0, 0o444, 0o311] as [mode_t])
    @LoopActor func aPlansFolderThatCannotBeReadIsNotReady(mode: mode_t) async throws {
        #expect(try await run("demo", "--once").exit == .code(0))
        let plans = try Folder.names(in: home.path("music")).filter { $0.contains("Gathered In") }.sorted()
        let folder = home.path("music/" + (try #require(plans.first)))
        chmod(folder, mode)
        defer { chmod(folder, 0o700) }
        // Take away root's right to ignore permissions.
        let without = ["--bounding-set=-dac_override,-dac_read_search", Program.folder + "/woodshed"]
        let words = ["ready", "--home", home.path]
        let result =
            try await geteuid() == 0
            ? Program.run("/usr/bin/setpriv", without + words, environment: sizes) : Program.run("woodshed", words, environment: sizes)
        #expect(result.exit == .code(3) && (result.output + result.messages).contains(folder), "\(result)")
    }

    @Test @LoopActor func aMachineConfigurationThatCannotBeReadKeepsNobodyFromPlaying() async throws {
        #expect(try await run("demo", "--once").exit == .code(0))
        let etc = TemporaryFolder()
        try AtomicFile.write("charts:\n  include: ['*lead*']\n", to: etc.path("woodshed.yaml"), mode: 0o644)
        chmod(etc.path, 0)
        defer { chmod(etc.path, 0o700) }
        // Take away root's right to ignore permissions.
        let without = ["--bounding-set=-dac_override,-dac_read_search", Program.folder + "/woodshed"]
        let words = ["ready", "--home", home.path]
        let environment = sizes + ["WOODSHED_ETC=" + etc.path]
        let result =
            try await geteuid() == 0
            ? Program.run("/usr/bin/setpriv", without + words, environment: environment)
            : Program.run("woodshed", words, environment: environment)
        // What it says may choose charts, so the plan does not count as ready; but it can be seen and played.
        #expect(result.exit == .code(3) && result.output.hasPrefix("Not ready: only a part of the configuration"), "\(result)")
        #expect(result.messages.contains("Permission denied; run: chmod a+rx \(etc.path.shellQuoted)"), "\(result.messages)")
    }

    @Test @LoopActor func everyKindOfDamageIsFoundAndNothingIsChanged() async throws {
        #expect(try await run("demo", "--once").exit == .code(0))
        // The stand-in ended with the demo, so the commands work without the service from here on.
        let fine = try await ready(exit: 0)
        #expect(fine.schema == 1 && fine.ready && fine.plans.count == 1 && fine.plans[0].charts.allSatisfy(\.ready))
        let text = try await run("ready").output
        #expect(text.hasPrefix("Ready: ") && text.contains("all here and intact."), "\(text)")
        #expect(try await ready("--plan", "all", exit: 0).plans.count == 3)
        let status = try await run("status")
        #expect(
            status.exit == .code(0) && status.output.hasPrefix("Ready: ") && status.output.contains("Agent      not running"), "\(status)")

        let charts = fine.plans[0].charts.filter { !$0.filename.contains("Riverside") && $0.hash != nil }
        let hashes = charts.compactMap(\.hash)
        try #require(Set(hashes).count >= 5)
        let damaged = try images("plain", of: hashes[0])[0]
        unlink(try images("plain", of: hashes[1])[0])
        try scratch(damaged)
        truncate(try images("thumbnail", of: hashes[2])[0], 60)
        try scratch(home.path("data/charts/\(hashes[3]).pdf"))
        unlink(home.path("data/charts/\(hashes[4]).pdf"))
        let before = try AtomicFile.read(damaged, limit: 1 << 24)

        let broken = try await ready(exit: 3)
        #expect(!broken.ready)
        #expect(
            broken.lacks.sorted() == ["file-changed", "file-gone", "image-damaged", "image-damaged", "not-rendered"], "\(broken.lacks)")
        #expect(broken.plans[0].charts.first { $0.hash == hashes[3] }?.lacks.first?.path == home.path("data/charts/\(hashes[3]).pdf"))
        let list = try await run("ready")
        #expect(list.exit == .code(3) && list.output.hasPrefix("Not ready: ") && list.output.contains("As of "), "\(list.output)")
        #expect(try AtomicFile.read(damaged, limit: 1 << 24) == before, "it reads, and removes nothing")
        // Without reading whole images, `status` finds files that are missing, truncated, or of another length.
        let look = try await run("status").output
        #expect(look.contains("image damaged") && look.contains("file gone"), "\(look)")
    }

    @Test @LoopActor func marksAndAgeCountToo() async throws {
        #expect(try await run("demo", "--once").exit == .code(0))
        let chart = try #require(try await ready(exit: 0).plans[0].charts.first { $0.hash != nil })
        let path = home.path("music/own.marks.json")
        func marks(_ points: String) -> String {
            #"{"attachment_id":"\#(chart.id)","marks":[{"id":"1","page":0,"kind":"pen","color":"\#u{23}00ff00","width":0.1,"points":[\#(points)]}]}"#
        }
        try Folder.create(home.path("music"))
        try AtomicFile.write(marks("[0.1,0.1]"), to: path)
        let library = try Library(folder: home.path("data"))
        try library.markFiles.store([
            LocalFile(
                path: path, stamp: FileStamp(device: 0, inode: 0, size: 0, modified: 0), firstSeen: Timestamp(nanoseconds: 0),
                attachment: AttachmentID(chart.id), content: MarkFile(marks: []))
        ])
        #expect(try await ready(exit: 3).lacks == ["marks-unread"])
        var status = stat()
        lstat(path, &status)
        try library.markFiles.store([
            LocalFile(
                path: path, stamp: FileStamp(status), firstSeen: Timestamp(nanoseconds: 0), attachment: AttachmentID(chart.id),
                fault: "is cut off, line 3")
        ])
        let faulty = try await ready(exit: 3)
        #expect(faulty.lacks == ["marks-unreadable"])
        #expect(faulty.plans[0].charts.flatMap(\.lacks).first?.message.contains("\(path) is cut off, line 3") == true)
        // The file exists, but the library has no record of it.
        try library.markFiles.store([], forgetting: [path])
        let new = try await ready(exit: 3)
        #expect(new.lacks == ["marks-unread"] && new.plans[0].charts.flatMap(\.lacks).first?.path == path)
        #expect(try await run("status").output.contains("marks unread"))
        #expect(try await run("why", chart.id, "1").output.contains("\(path) is new and has not been read yet"))
        unlink(path)
        #expect(try await ready(exit: 0).ready)

        // The last full answer of the service is now two hours old.
        try library.recordPoll(at: try #require(try library.lastPoll) - .seconds(7200), now: true)
        library.close()
        #expect(try await ready("--max-age", "3h", exit: 0).ready)
        #expect(try await !ready("--max-age", "1h", exit: 3).ready)
    }

    @Test(arguments: [("config/woodshed.yaml", 4), ("data/catalogue.sqlite", 3)] as [(String, Int32)]) @LoopActor
    func aPipeInPlaceOfAFileIsSaidAtOnce(name: String, exit: Int32) async throws {
        let pipe = home.path(name)
        try Folder.create(Folder.parent(of: pipe))
        #expect(mkfifo(pipe, 0o600) == 0)
        let program = try Program("/usr/bin/timeout", ["60", Program.folder + "/woodshed", "ready", "--home", home.path])
        let result = try await program.result()
        #expect(result.exit == .code(exit) && result.messages.contains("\(pipe): it is a pipe, not a file; move it away"), "\(result)")
    }
}
