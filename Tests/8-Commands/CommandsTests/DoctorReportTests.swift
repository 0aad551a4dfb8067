import Catalogue
import CommandTestSupport
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Library

/// The report that a musician can give to a helper.
@Suite(.onLoop)
struct DoctorReportTests {
    private static let telling = [
        "Nächtliche Serenade", "Quarterly Zebra Night", "Zebra.pdf", "Otto Wolkenstein", "geheimnis77", "calendars.example",
        "wolke@example.org",
        "sk9f8e7d6c", "Ready for Sunday", "Kontrabass Xylofon",
    ]

    /// A home in which every name reveals something private.
    @LoopActor private func session(_ programs: TemporaryFolder) throws -> (Session, home: String) {
        let session = Session(["PATH": programs.path + ":/usr/bin:/bin"])
        let home = session.folder.path("Otto Wolkenstein")
        let plan = Plan(
            id: PlanID("1"), serviceType: ServiceTypeID("s"), serviceTypeName: "Quarterly Zebra Night", title: "Ready for Sunday")
        let item = PlanItem(id: ItemID("1"), sequence: 1, title: "Nächtliche Serenade", keyName: "", attachments: [])
        let library = try Library(folder: home + "/data")
        try library.plans.update([PlanContents(plan: plan, items: [item])], at: Timestamp(nanoseconds: 1))
        library.close()
        _ = try session.write("app:geheimnis77", to: "token")
        _ = try session.write(
            "account:\n  api_url: https://calendars.example/sk9f8e7d6c\n  token_command: echo app:geheimnis77\n"
                + "charts:\n  include: [Kontrabass Xylofon*]\nrender:\n  full_size: 901\n", to: "Otto Wolkenstein/config/woodshed.yaml")
        try AtomicFile.write(
            "#!/bin/sh\ncat <<'EOF'\n2026-11-22T10:04:17+0100 woodshed[71]: warning: Nächtliche Serenade: Zebra.pdf could not be downloaded\n"
                + "2026-11-22T10:04:18+0100 woodshed[71]: the plan ready FOR sunday of Otto Wolkenstein is kept; see "
                + "https://calendars.example/x?token=sk9f8e7d6c, wolke@example.org\n"
                + "2026-11-22T10:04:19+0100 woodshed[71]: 'Come as you are' was replaced; /srv/all/the/marks.pdf, 10.20.30.40, 01701234567\nEOF\n",
            to: programs.path("journalctl"), mode: 0o700)
        return (session, home)
    }

    @Test @LoopActor func nothingInItTellsWhatIsPlayedAndByWhom() async throws {
        let programs = TemporaryFolder()
        let (session, home) = try session(programs)
        let path = session.folder.path("report.txt")
        let ending = await session.run("doctor", "--offline", "--report", path, "--home", home)
        #expect(ending.messages.contains("Wrote \(path)"), "\(ending.messages)")
        let text = String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
        for name in Self.telling + [
            "come as you", "the/marks", "10.20", "01701", "Serenade", "Zebra", "Otto", "Wolkenstein", "example", "Xylofon", "geheim",
            "ready FOR sunday",
        ] {
            #expect(!text.lowercased().contains(name.lowercased()), "\(name) is in: \(text)")
        }
        for word in [
            "woodshed: 0.", "render.full_size: 901", "plans: 1", "items: 1", "could not be downloaded", "2026-11-22T10:04:17", "token: ",
        ] {
            #expect(text.lowercased().contains(word.lowercased()), "\(word) is not in: \(text)")
        }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)

        let again = await session.run("doctor", "--offline", "--report", path, "--home", home)
        #expect(again.code == .failed && again.messages.contains("\(path) is there already"))
        #expect(String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self) == text)
    }
}

extension DoctorReportTests {
    /// A plan's name may consist of words from the report's own sentences, which must not be removed together with the name.
    @Test @LoopActor func ourOwnSentencesAndDaysAreKept() async throws {
        let programs = TemporaryFolder()
        let (session, home) = try session(programs)
        let library = try Library(folder: home + "/data")
        let plan = Plan(id: PlanID("2"), serviceType: ServiceTypeID("s"), serviceTypeName: "Plan", title: "Check It")
        try library.plans.update([PlanContents(plan: plan, items: [])], at: Timestamp(nanoseconds: 1))
        library.close()
        try AtomicFile.write(
            """
            #!/bin/sh
            case "$*" in *--quiet*) ;; *) echo "-- No entries --";; esac
            echo "2026-11-22T10:04:17+0100 woodshed[71]: the plans are ready for Sun 22 Nov; of Plan there are 3"
            """, to: programs.path("journalctl"), mode: 0o700)
        let path = session.folder.path("report.txt")
        _ = await session.run("doctor", "--offline", "--report", path, "--home", home)
        let text = String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
        for sentence in [
            "token: it can be read; the service did not check it", "the plans are ready for Sun 22 Nov; of … there are 3",
        ] {
            #expect(text.contains(sentence), "\(sentence) is not in: \(text)")
        }
        #expect(!text.contains("entries"), "\(text)")
    }
}
