import Catalogue
import CommandLine
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Commands
@testable import Readiness

/// The doctor calls nothing well that `woodshed ready` calls missing, and tells each cause once.
@Suite(.timeLimit(.minutes(5)))
struct DoctorPlansTests {
    private static let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)

    private static func chart(_ number: Int, _ lacks: [ReadinessLack] = []) -> ReadinessReport.Chart {
        ReadinessReport.Chart(
            attachment: AttachmentID("\(number)"), filename: "Song \(number).pdf", item: "Song \(number)", pages: 1, wanted: 2, present: 0,
            lacks: lacks)
    }

    /// The faults, and what is said of the next plan.
    private static func found(
        _ charts: [ReadinessReport.Chart], poll: Duration = .seconds(300), _ change: (inout DoctorFacts) -> Void = { _ in }
    ) -> [Finding] {
        let time = now + .seconds(86_400)
        let plan = ReadinessReport.Plan(
            plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: time, lastTime: time), charts: charts)
        let report = ReadinessReport(asOf: now, lastPoll: now - poll, isThorough: true, plans: [plan])
        var facts = ExaminationTests.fine
        facts.readiness = .success(ReadinessVerdict(report: report, maxAge: ReadinessVerdict.defaultMaxAge))
        change(&facts)
        return Examination.findings(facts).filter { $0.subject == "next plan" || ![.ok, .skipped].contains($0.state) }
    }

    @Test func aPlanThatIsReadyIsWell() {
        let found = Self.found([Self.chart(1)])
        #expect(found.map(\.state) == [.ok] && found[0].message.hasPrefix("Ready: "), "\(found)")
    }

    @Test func whatOneRemedyMendsIsOneFinding() {
        let gone = Self.found((1...20).map { Self.chart($0, [.fileGone(path: "/h/data/charts/\($0).pdf")]) })
        #expect(gone.map(\.state) == [.problem] && gone.map(\.remedy) == [woodshed("sync")], "\(gone)")
        #expect(gone.first?.message.hasPrefix("Song 1.pdf: its file was removed: /h/data/charts/1.pdf; and 19 more, ") == true, "\(gone)")
        let undrawn = Self.found((1...20).map { Self.chart($0, [.notRendered([PageIndex(0)], images: 2)]) })
        #expect(undrawn.count == 1 && undrawn[0].message.hasPrefix("Song 1.pdf and 19 others: "), "\(undrawn)")
        let path = "/h/marks/own.xopp"
        let mixed = Self.found([Self.chart(1, [.fileGone(path: "/x.pdf")]), Self.chart(2, [.marksUnread(path: path, .away)])])
        #expect(mixed.map(\.state) == [.problem, .problem], "\(mixed)")
        #expect(mixed.last?.remedy?.contains(woodshed("accept --gone /h/marks")) == true, "\(mixed)")
        // The folder is known to be away from its marks.
        let away = Self.found([Self.chart(2, [.marksUnread(path: path, .away)])]) { $0.missingMusic = ["/h/marks"] }
        #expect(away.count == 1, "\(away)")
    }

    @Test func aFolderOfMarksWithoutAnythingKnownOfItIsAWarning() {
        let found = Self.found([Self.chart(1)]) { $0.missingMusic = ["/h/my marks"] }
        #expect(found.map(\.state) == [.warning, .ok] && found[0].remedy?.contains("mkdir -p '/h/my marks'") == true, "\(found)")
    }

    @Test func anOldWordOfTheServiceIsNotWell() {
        let old = Self.found([Self.chart(1)], poll: .seconds(5 * 86_400))
        #expect(old.map(\.state) == [.problem] && old.map(\.remedy) == [woodshed("sync")], "\(old)")
        // A sync would ask at the same wrong address.
        let elsewhere = Self.found([Self.chart(1)], poll: .seconds(5 * 86_400)) { $0.service = .answered(status: 404, ahead: nil) }
        #expect(elsewhere.last?.remedy == "correct account.api_url, then: \(woodshed("sync"))", "\(elsewhere)")
        // Without a token nobody can ask.
        let refused = Self.found([Self.chart(1)], poll: .seconds(5 * 86_400)) { $0.token = .notConfigured }
        #expect(refused.map(\.state) == [.problem, .skipped] && refused[0].subject == "token", "\(refused)")
    }

    @Test func whatAFolderCausesIsToldOnce() {
        let lacking = [Self.chart(1, [.notRendered([PageIndex(0)], images: 2)])]
        let broken = Self.found(lacking) {
            $0.folders[1].isOwn = false; $0.folders[1].nearest = $0.folders[1].path
        }
        #expect(broken.map(\.state) == [.problem, .skipped] && broken[0].subject == "cache folder", "\(broken)")
        let full = Self.found([Self.chart(1, [.noRoom(images: 2, Self.shortage(isOfDisk: true))])]) {
            $0.disks = [.init(name: "cache", path: "/h/cache", free: ByteCount(0))]
        }
        #expect(full.map(\.state) == [.problem, .skipped] && full[0].subject == "cache disk", "\(full)")
        let short = Self.found((1...9).map { Self.chart($0, [.noRoom(images: 18, Self.shortage(isOfDisk: true))]) })
        #expect(short.map(\.state) == [.problem] && short[0].message.hasPrefix("Song 1.pdf and 8 others: no room"), "\(short)")
    }

    private static func shortage(isOfDisk: Bool) -> RoomShortage { RoomShortage(isOfDisk: isOfDisk, "no room", remedy: "make some") }

    /// The cache may not fill even a large disk, and a nearly full one need not be the cause.
    @Test func theCachesOwnLimitIsTheCauseThatIsNamed() {
        let found = Self.found([Self.chart(1, [.noRoom(images: 2, Self.shortage(isOfDisk: false))])]) {
            $0.disks = [.init(name: "cache", path: "/h/cache", free: ByteCount(0))]
        }
        #expect(found.map(\.subject) == ["cache disk", "next plan"], "\(found)")
        #expect(found.last?.remedy == "make some", "\(found)")
    }

    @Test func pagesThatNoBrowserIsShownAreAProblem() {
        let found = Self.found([Self.chart(1)]) { $0.noPages = "port 8999 is taken" }
        #expect(found.map(\.state) == [.problem, .ok] && found[0].subject == "pages", "\(found)")
        #expect(found[0].message.contains("port 8999 is taken") && found[0].remedy?.contains("viewer.port") == true, "\(found)")
    }

    /// As many as 'woodshed ready' has lines.
    @Test func whatIsNotNamedIsCountedByCharts() {
        let charts = (1...6).map { Self.chart($0, [.notRendered([PageIndex(0)], images: $0 < 4 ? 2 : 3)]) }
        let found = Self.found(charts)
        #expect(found.map(\.state) == [.problem] && found[0].message.contains("; and 3 more, which"), "\(found)")
    }

    @Test func dataOfAnotherUserIsOneProblem() {
        let found = Self.found([]) {
            $0.folders[0].isOwn = false
            $0.folders.append(
                .init(name: "runtime", path: "/h/data/runtime", nearest: "/h/data", isOwn: false, isWritable: false, mode: 0o700))
            $0.unreadMusic = [.init(path: "/h/data", isOwn: false), .init(path: "/h/data/annotations", isOwn: false)]
            $0.catalogue = .failure(.system(SystemError("open", path: "/h/data/catalogue.sqlite", code: EACCES)))
            $0.readiness = .failure(CommandFailure(.failed, "cannot open /h/data/catalogue.sqlite"))
        }
        #expect(found.map(\.state) == [.problem, .skipped], "\(found)")
        #expect(found[0].subject == "data folder" && found[0].remedy == "sudo chown -R $USER /h/data", "\(found)")
    }

    @Test func aLinkToADiskThatIsAwayIsAProblem() throws {
        let home = TemporaryFolder()
        symlink("/no/such/disk", home.path("cache"))
        let state = DoctorFacts.wholeFolder("cache", home.path("cache"))
        let found = Self.found([Self.chart(1)]) { $0.folders[1] = state }
        #expect(found.map(\.message).first == "\(home.path("cache")) is a link to /no/such/disk, which is away", "\(found)")
        #expect(found.first?.remedy?.hasSuffix("rm \(home.path("cache").shellQuoted) && \(woodshed("sync"))") == true, "\(found)")
        #expect(DoctorFacts.folder("data", home.path("cache/deep/data")).link == home.path("cache"))
        // The folder itself may be there, and lead nowhere.
        try Folder.create(home.path("data"))
        symlink("/no/such/disk", home.path("data/annotations"))
        let data = DoctorFacts.wholeFolder("data", home.path("data"))
        #expect(data.link == home.path("data/annotations") && data.target == "/no/such/disk")
        let marks = Self.found([Self.chart(1)]) { $0.folders[0] = data }
        #expect(marks.first?.remedy == "connect that disk", "\(marks)")
    }

    @Test func aTokenThatOthersMayReadAndAnAgentThatHangsAreToldWithTheirRemedies() {
        let token = Examination.token(.unreadable(Trouble(.refused, "others may read it"), file: "/h/my token"), .notAsked)
        #expect(token.state == .problem && token.remedy == "chmod 600 '/h/my token'")
        let agent = Examination.lock(.held(by: 7), ("it says nothing", "kill -9 7; then: woodshed agent"))
        #expect(agent.state == .problem && agent.message.contains("it says nothing"))
        #expect(agent.remedy == "kill -9 7; then: woodshed agent")
        let address = Examination.service(.answered(status: 404, ahead: nil))
        #expect(address.state == .warning && address.remedy?.hasPrefix("correct account.api_url") == true)
    }
}
