import Catalogue
import CommandTestSupport
import DemoService
import FoundationEssentials
import Glibc
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands
@testable import Library

@Suite(.onLoop)
struct DoctorCommandTests {
    private struct Report: Decodable {
        struct Line: Decodable {
            let subject: String, state: String, message: String, remedy: String?
        }
        let findings: [Line]

        init(_ text: String) throws { self = try JSONDecoder().decode(Report.self, from: Data(text.utf8)) }
        func of(_ subject: String) -> Line? { findings.first { $0.subject == subject } }
    }

    @LoopActor
    private func configure(_ session: Session, _ service: StandIn, token: Secret = DemoService.token) throws {
        let path = try session.write(token.revealed + "\n", to: "token")
        _ = try session.write(
            "account:\n  api_url: \(service.apiURL)\n  allow_http_loopback: true\n  token_file: \(path)\n",
            to: "user/.config/woodshed/woodshed.yaml")
    }

    @Test @LoopActor func serviceIsAskedOnceAndTheTokenJudged() async throws {
        let service = try StandIn.start()
        defer { service.stop() }
        let session = Session()
        try configure(session, service)
        let report = try Report(await session.run("doctor", "--json").results)
        #expect(report.of("token")?.message == "the service accepts it")
        #expect(report.of("clock")?.message == "agrees with the service's")
        #expect(service.statistics.byRoute == ["GET /me": 1])

        service.resetStatistics()
        let offline = try Report(await session.run("doctor", "--json", "--offline").results)
        #expect(offline.of("service")?.message == "not asked")
        #expect(service.statistics.requests == 0)
    }

    @Test(arguments: [DemoFault.loginPage, .redirectElsewhere]) @LoopActor
    func whatIsNotTheServicesAnswerIsNotTakenForIt(fault: DemoFault) async throws {
        let service = try StandIn.start()
        defer { service.stop() }
        let session = Session()
        try configure(session, service)
        service.setFault(fault, on: .me)
        let report = try Report(await session.run("doctor", "--json").results)
        let words = fault == .loginPage ? "a web page came instead (is there a log-in page" : "the answer did not come from the service"
        #expect(report.of("service")?.message.hasPrefix(words) == true, "\(report.findings)")
        #expect(report.of("service")?.state == "warning")
        #expect(report.of("token")?.message == "it can be read; the service did not check it")
    }

    @Test @LoopActor func refusedTokenIsAProblem() async throws {
        let service = try StandIn.start()
        defer { service.stop() }
        let session = Session()
        try configure(session, service, token: Secret("woodshed-demo:geheim"))
        let ending = await session.run("doctor")
        #expect(ending.code == .notReady)
        #expect(ending.results.contains("problem  token"))
        #expect(!ending.results.contains("geheim"))
    }

    @Test @LoopActor func aTokenThatOnlyTheServiceHasIsNoProblem() async throws {
        let session = Session()
        _ = try session.write("account:\n  token_credential: planning\n", to: "user/.config/woodshed/woodshed.yaml")
        let line = try Report(await session.run("doctor", "--json", "--offline").results).of("token")
        #expect(line?.state == "warning" && line?.message.contains("only the service has it") == true, "\(String(describing: line))")
        #expect(line?.remedy?.contains("systemctl --user start woodshed") == true)
        let sync = await session.run("sync")
        #expect(sync.code == .configuration && sync.messages.contains("systemctl --user start woodshed"), "\(sync.messages)")
    }

    @Test @LoopActor func whoHasFoldersAloneNeedsNoToken() async throws {
        let session = Session()
        _ = try session.write("%PDF-1.7\n%%EOF\n", to: "Sets/2026-11-29/Grace.pdf")
        _ = try session.write("by hand", to: "Sets/notes.doc")
        let folder = session.folder.path("Sets")
        _ = try session.write("plans:\n  folders: [\(folder)]\n", to: "user/.config/woodshed/woodshed.yaml")
        let report = try Report(await session.run("doctor", "--json").results)
        #expect(report.of("token") == nil && report.of("service") == nil && report.of("account")?.state == "skipped")
        let reason = "it is no PDF, no song and no picture that can be shown (JPEG or PNG)"
        let told = "\(folder): 1 set, 1 chart; not used: \(folder)/notes.doc (\(reason))"
        #expect(report.of("sets")?.message == told && report.of("sets")?.state == "ok", "\(report.findings)")
    }

    @Test @LoopActor func missingTokenIsToldWithTheWayOut() async throws {
        let ending = await Session().run("doctor", "--json")
        #expect(ending.code == .notReady)
        #expect(try Report(ending.results).of("token")?.remedy?.contains("woodshed setup") == true)
    }

    @Test(arguments: [false, true]) @LoopActor func aCatalogueOfANewerVersionIsALineOfTheReport(isBlank: Bool) async throws {
        let session = Session()
        let home = session.folder.path("home")
        let library = try Library(folder: home + "/data")
        if !isBlank {
            try library.plans.update(
                [PlanContents(plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("s"), serviceTypeName: "S"), items: [])],
                at: Timestamp(nanoseconds: 0))
        }
        try CatalogueBackups(of: library.folder).make(of: library.database, at: Timestamp(nanoseconds: 0))
        try library.database.run("INSERT INTO migrations (name) VALUES ('99 more')")
        try library.database.run("ALTER TABLE charts RENAME COLUMN hash TO digest")
        library.close()
        let ending = await session.run("doctor", "--offline", "--json", "--home", home)
        let report = try Report(ending.results)
        let line = try #require(report.of("catalogue"))
        #expect(line.state == "problem" && line.message.hasPrefix("a newer version of Woodshed made it"), "\(line)")
        #expect(line.remedy?.hasPrefix("install that version again") == true)
        #expect(line.remedy?.contains("--restore newest") == !isBlank, "\(line)")
        #expect(report.of("agent") != nil && report.of("backups")?.remedy == (isBlank ? "that version makes one" : nil))
        guard !isBlank else { return }
        #expect(await session.run("doctor", "--restore", "newest", "--home", home).code == .fine)
        let mended = try Report(await session.run("doctor", "--offline", "--json", "--home", home).results)
        #expect(mended.of("catalogue")?.state == "ok", "\(mended.findings)")
    }

    @Test @LoopActor func aCatalogueUnderAProgramThatSynchronisesFoldersIsTold() async throws {
        let session = Session()
        let home = session.folder.path("cloud/home")
        try Folder.create(home + "/data")
        func warnings() async throws -> [Report.Line] {
            try Report(await session.run("doctor", "--offline", "--json", "--home", home).results).findings.filter {
                $0.subject == "data folder" && $0.state == "warning"
            }
        }
        // Dropbox keeps its settings in a home, which is no sign that the folders next to them are synchronised.
        try Folder.create(session.folder.path("cloud/.dropbox"))
        #expect(try await warnings().isEmpty)
        let marks = [
            ".stfolder", ".stversions", ".nextcloudsync.log", "._sync_0815.db", ".sync_0815.db", ".owncloudsync.log", ".dropbox.cache",
        ]
        for mark in marks {
            let path = try session.write("", to: "cloud/" + mark)
            let found = try await warnings()
            #expect(found.count == 1 && found[0].message.hasPrefix("it is in \(session.folder.path("cloud")), which"), "\(mark): \(found)")
            #expect(found.first?.message.contains("(\(mark) shows it)") == true)
            #expect(found.first?.remedy?.contains("folders.data") == true)
            unlink(path)
        }
        for name in ["catalogue.sync-conflict-20261122-101500-ABCDEFG.sqlite", "catalogue (conflicted copy 2026-11-22 101500).sqlite"] {
            let path = try session.write("", to: "cloud/home/data/" + name)
            let found = try await warnings()
            #expect(found.count == 1 && found[0].message.hasPrefix("\(path) is a copy by"), "\(found)")
            #expect(found.first?.remedy?.hasSuffix("then delete the copy") == true)
            unlink(path)
        }
    }

    @Test @LoopActor func aMistakeInTheConfigurationIsTheFirstFindingAndTheRestIsExamined() async throws {
        let etc = TemporaryFolder()
        let session = Session(["WOODSHED_ETC": etc.path, "WOODSHED_RENDER_WORKERS": "lots"])
        let own = try session.write("render:\n  wrokers: 2\n", to: "user/.config/woodshed/woodshed.yaml")
        let machine = etc.path("woodshed.yaml")
        try AtomicFile.write("log:\n  level: loud\n", to: machine, mode: 0o644)
        let ending = await session.run("doctor", "--offline", "--json")
        let report = try Report(ending.results)
        #expect(ending.code == .notReady)
        let first = report.findings.prefix(3)
        #expect(first.allSatisfy { $0.subject == "configuration" && $0.state == "problem" }, "\(first)")
        #expect(first.map { String($0.message.prefix { $0 != " " }) } == ["\(machine):2:10:", "\(own):2:3:", "environment"])
        #expect(first.map { String(($0.remedy ?? "").prefix { $0 != " " }) } == ["ask", "correct", "correct"])
        #expect(report.of("token")?.state == "skipped" && report.of("woodshed-render") != nil)
        #expect(await session.run("doctor", "--restore", "newest").code == .configuration)
        #expect(await session.run("doctor", "--offline", "--viewer-listen", "0.0.0.0").code == .configuration)
    }

    @Test @LoopActor func holderOfTheLockIsNamed() async throws {
        let session = Session()
        let data = session.folder.path("data")
        try Folder.create(data)
        #expect(DoctorFacts.lock(in: data) == .free)
        do {
            let lock = try AgentLock.take(in: data)
            #expect(DoctorFacts.lock(in: data) == .held(by: getpid()))
            withExtendedLifetime(lock) {}
        }
        #expect(DoctorFacts.lock(in: data) == .free, "the file stays, the lock does not")
    }
}
