import Catalogue
import Configuration
import Glibc
import Library
import Model
import PlanningCenter
import Platform
import Sets
import TestSupport
import Testing

@testable import Agent
@testable import Commands

@Suite(.timeLimit(.minutes(5)))
struct ExaminationTests {
    /// The facts of a machine without a fault.
    static var fine: DoctorFacts {
        var facts = DoctorFacts()
        facts.token = .readable
        facts.service = .answered(status: 200, ahead: .seconds(1))
        facts.folders = [
            .init(name: "data", path: "/h/data", nearest: "/h/data", isOwn: true, isWritable: true, mode: 0o700),
            .init(name: "cache", path: "/h/cache", nearest: "/h", isOwn: true, isWritable: true, mode: 0o755),
        ]
        facts.disks = [.init(name: "data", path: "/h/data", free: ByteCount(5_000_000_000))]
        facts.versions = [("SQLite", "3.40.1")]
        facts.renderer = .works(tag: RendererTag("raster-1"), gaps: [])
        facts.hasBaseFonts = true
        facts.hasAsianFonts = true
        facts.hasPopplerData = true
        facts.inotify = ["max_user_watches": 65536, "max_user_instances": 128, "max_queued_events": 16384]
        return facts
    }

    private static func faults(_ change: (inout DoctorFacts) -> Void) -> [Finding] {
        var facts = fine
        change(&facts)
        return Examination.findings(facts).filter { ![.ok, .skipped].contains($0.state) }
    }

    @Test func nothingIsSaidAgainstAMachineWhereAllIsWell() {
        #expect(Self.faults { _ in } == [])
        #expect(Examination.findings(Self.fine).allSatisfy { $0.remedy == nil })
    }

    @Test func whereTheServiceHasNoMarksIsToldAndNoFault() {
        var facts = Self.fine
        facts.noMarksAt = "https://music.example/notes"
        let found = Examination.findings(facts).filter { $0.message.contains("https://music.example/notes") }
        #expect(found.map(\.state) == [.ok])
    }

    @Test func withoutAnAccountTheServiceIsNotSpokenOf() {
        var facts = Self.fine
        (facts.token, facts.service) = (.ofFolders, .notAsked)
        facts.sets = [SetsHere(folder: "/h/Sets", sets: 1, charts: 3)]
        let found = Examination.findings(facts)
        #expect(found.allSatisfy { ![.problem, .warning].contains($0.state) }, "\(found)")
        #expect(!found.contains { ["token", "service", "clock"].contains($0.subject) || $0.message.contains("service") }, "\(found)")
        #expect(found.contains { $0.subject == "sets" && $0.message == "/h/Sets: 1 set, 3 charts" })
    }

    @Test func whatIsInAFolderOfSetsIsTold() {
        let others = ["a", "b", "c", "d"].map { FoundSets.Other(path: "/h/Sets/\($0).doc", reason: "it is no PDF and no song") }
        let told = Examination.sets([SetsHere(folder: "/h/Sets", others: others)])
        let first = "/h/Sets: 0 sets, 0 charts; not used: /h/Sets/a.doc (it is no PDF and no song), /h/Sets/b.doc"
        #expect(told.map(\.state) == [.ok] && told[0].message.hasPrefix(first), "\(told)")
        #expect(told[0].message.hasSuffix("c.doc (it is no PDF and no song) and 1 more, which 'woodshed plans' lists"), "\(told)")
        for (isThere, remedy) in [(false, "mkdir -p '/h/My Sets'"), (true, "chmod u+rx '/h/My Sets'")] {
            let away = Examination.sets([SetsHere(folder: "/h/My Sets", isThere: isThere, trouble: "no reason")])
            #expect(away.map(\.state) == [.warning] && away[0].remedy?.contains(remedy) == true, "\(away)")
        }
        #expect(Examination.sets(nil).map(\.state) == [.warning] && Examination.sets([]).isEmpty)
    }

    @Test func aFolderForPDFsThatIsAwayIsToldWithWhatToDo() {
        var facts = Self.fine
        facts.pdfFolder = ("/media/stick", nil)
        #expect(Examination.findings(facts).contains { $0.subject == "export.folder" && $0.state == .ok })
        let found = Self.faults { $0.pdfFolder = ("/media/a; b", ("there is no folder /media/a; b", "connect its disk")) }
        #expect(found.map(\.message) == ["no plan is kept as a PDF: there is no folder /media/a; b"])
        #expect(found.map(\.remedy) == ["connect its disk"] && found[0].state == .warning)
    }

    @Test func aDiskThatCannotBeWrittenIsNoMatterOfPermissions() {
        let found = Self.faults {
            $0.folders[0].isWritable = false
            $0.folders[0].isOnReadOnlyDisk = true
        }
        #expect(
            found.count == 1 && found[0].message.contains("read-only disk")
                && found[0].message.contains("nothing new is kept"))
        #expect(found[0].remedy?.contains("chmod") == false && found[0].remedy?.contains("remount,rw") == true)
    }

    @Test func everyFaultHasARemedy() {
        let found = Self.faults {
            $0 = DoctorFacts()
            $0.service = .answered(status: 500, ahead: .seconds(7200))
            $0.folders = [.init(name: "data", path: "/h/data", nearest: "/h", isOwn: false, isWritable: false, mode: 0o755)]
            $0.disks = [.init(name: "data", path: "/h/data", free: ByteCount(0))]
        }
        #expect(found.count == 12)
        #expect(found.allSatisfy { $0.remedy?.isEmpty == false })
    }

    @Test func memoryThatNobodyWatchesIsNoFault() {
        let watched = Examination.memory(.watching(path: "/sys/fs/cgroup/x/memory.pressure"))
        #expect(watched.state == .ok && watched.message == "memory is released when /sys/fs/cgroup/x/memory.pressure says that it is short")
        let unwatched = Examination.memory(.off(reason: "this system has no control group for it"))
        #expect(
            unwatched.state == .skipped
                && unwatched.message == "nothing reports when memory is short: this system has no control group for it")
    }

    @Test(arguments: [
        (DoctorFacts.Token.notConfigured, DoctorFacts.Service.notAsked, Finding.State.problem),
        (.unreadable(Trouble("no token: /t is empty")), .notAsked, .problem),
        (.readable, .notAsked, .ok),
        (.ofService("planning", nil), .notAsked, .warning),
        (.ofService("planning", AgentReport.Polls()), .notAsked, .ok),
        (.ofService("planning", AgentReport.Polls(refused: .init(since: Timestamp(nanoseconds: 0), times: 1))), .notAsked, .problem),
        (.readable, .unreachable("no route"), .ok),
        (.readable, .answered(status: 200, ahead: nil), .ok),
        (.readable, .answered(status: 401, ahead: nil), .problem),
        (.readable, .answered(status: 403, ahead: nil), .problem),
        (.readable, .answered(status: 503, ahead: nil), .ok),
    ])
    func tokenIsJudgedByTheServicesAnswer(token: DoctorFacts.Token, service: DoctorFacts.Service, state: Finding.State) {
        #expect(Examination.token(token, service).state == state)
    }

    /// The kind of the trouble alone decides the remedy, not the text: a token that exists but cannot be accessed need not be replaced.
    @Test(arguments: [(true, "woodshed config check"), (false, "woodshed setup")])
    func aTokenThatCannotBeReadIsMendedWhereItIs(isOfAccess: Bool, command: String) {
        for words in ["no token: run: chmod 600 /t", "no token: /t is empty"] {
            let found = Examination.token(.unreadable(Trouble(isOfAccess ? .refused : .other, words)), .notAsked)
            #expect(found.message == words && found.remedy == command)
        }
    }

    @Test func onlyWhatWasCheckedIsSaidToBeAllRight() {
        var facts = Self.fine
        facts.service = .notAsked
        let skipped = Examination.findings(facts).filter { $0.state == .skipped }.map(\.subject)
        #expect(skipped == ["service", "clock", "memory"])
        facts.service = .notTheService("a web page came instead of data")
        #expect(Examination.token(.readable, facts.service).message == "it can be read; the service did not check it")
        #expect(Examination.service(facts.service).state == .warning)
    }

    @Test func whoHasNoTokenIsToldHowToGetOne() {
        #expect(Examination.token(.notConfigured, .notAsked).remedy == "woodshed setup")
        let refused = Examination.token(.readable, .answered(status: 401, ahead: nil)).remedy
        #expect(refused?.contains("oauth/applications") == true && refused?.hasSuffix("woodshed setup") == true)
    }

    @Test func silentServiceIsAWarningOnly() {
        #expect(Self.faults { $0.service = .unreachable("no route") }.map(\.state) == [.warning])
        #expect(Self.faults { $0.service = .answered(status: 502, ahead: nil) }.map(\.subject) == ["service"])
    }

    @Test(arguments: [
        (0, Finding.State.ok), (60, .ok), (-60, .ok), (61, .warning), (-300, .warning), (601, .problem), (-86400, .problem),
    ])
    func clockIsComparedWithTheServices(seconds: Int, state: Finding.State) {
        let finding = Examination.clock(.answered(status: 401, ahead: .seconds(seconds)))
        #expect(finding.state == state)
        if state != .ok { #expect(finding.message.contains(seconds > 0 ? "ahead of" : "behind")) }
        if seconds == -86400 { #expect(finding.message.hasPrefix("24 h behind")) }
    }

    @Test(arguments: [
        ("data", UInt32(0o700), true, true, Finding.State.ok, ""),
        ("data", 0o750, true, true, .warning, "chmod go-rwx '/h/my data'"),
        ("configuration", 0o755, true, true, .ok, ""),
        ("configuration", 0o775, true, true, .problem, "chmod go-w '/h/my data'"),
        ("data", 0o700, false, true, .problem, "sudo chown -R $USER '/h/my data'"),
        ("data", 0o500, true, false, .problem, "chmod u+rwx '/h/my data'"),
    ])
    func folderIsOursAlone(name: String, mode: UInt32, isOwn: Bool, isWritable: Bool, state: Finding.State, remedy: String) {
        let path = "/h/my data"
        let finding = Examination.folder(
            .init(name: name, path: path, nearest: path, isOwn: isOwn, isWritable: isWritable, mode: mode))
        #expect(finding.state == state)
        #expect(finding.remedy ?? "" == remedy)
    }

    @Test func foldersThatAreClosedToUsAreToldWithWhatOpensThem() {
        func told(_ closed: DoctorFacts.ClosedFolder...) -> [Finding] { Self.faults { $0.folders[0].closed = closed } }
        let own = DoctorFacts.ClosedFolder(path: "/h/data/charts", isOwn: true)
        let one = told(own)
        #expect(one.map(\.message) == ["you cannot read and write /h/data/charts"])
        #expect(one.map(\.remedy) == ["chmod u+rwx /h/data/charts"] && one.map(\.state) == [.problem])
        let two = told(.init(path: "/h/data/c", isOwn: false), own)
        #expect(two.map(\.message) == ["you cannot read and write /h/data/c, or 1 other folder"])
        #expect(two.map(\.remedy) == ["sudo chown -R $USER /h/data/c"])
        let immutable = told(.init(path: "/h/data/charts", isOwn: true, isOpenToOwner: true))
        #expect(immutable.first?.remedy?.hasPrefix("sudo chattr -i /h/data/charts; ") == true)
        let music = Self.faults {
            $0.unreadMusic = [.init(path: "/h/Music", isOwn: true), .init(path: "/net/all", isOwn: false)]
            $0.closedMusic = .init(path: "/h/Music", isOwn: true)
        }
        #expect(music.map(\.subject) == ["music folder", "music folder", "music folder"] && music.allSatisfy { $0.state == .problem })
        #expect(
            music.map(\.remedy) == [
                "chmod u+rwx /h/Music", "take it out of annotations.folders, or have its owner let you read it", "chmod u+rwx /h/Music",
            ])
    }

    @Test func foldersThatCannotBeMadeAreToldWithWhatIsInTheWay() throws {
        let home = TemporaryFolder()
        try AtomicFile.write("mine", to: home.path("Music"))
        for path in ["Music", "Music/band"] {
            let music = DoctorFacts.folder("music", home.path(path))
            #expect(DoctorFacts.closed(music.path, needing: W_OK | X_OK) == nil, "chmod helps nobody")
            let told = Self.faults { ($0.music, $0.folders[0]) = (music, DoctorFacts.wholeFolder("data", music.path)) }
            #expect(told.map(\.subject) == ["data folder", "music folder"] && told.allSatisfy { $0.state == .problem })
            #expect(told.allSatisfy { $0.message == "\(home.path("Music")) is a file, and a folder belongs there" })
            #expect(told.allSatisfy { $0.remedy == "mv -n \(home.path("Music")) \(home.path("Music")).file" })
        }
        let unmade = Self.faults {
            $0.music = .init(name: "music", path: "/x/Music", nearest: "/x", isOwn: false, isWritable: false, mode: 0o755)
        }
        #expect(unmade.map(\.message) == ["/x/Music is missing and cannot be created, because /x is not writable by you"])
        #expect(Self.faults { $0.music = DoctorFacts.folder("music", home.path("other")) }.isEmpty)
    }

    @Test func diskIsJudgedByWhatIsFree() {
        func state(_ bytes: Int) -> Finding.State {
            Examination.disk(.init(name: "cache", path: "/c", free: ByteCount(bytes))).state
        }
        #expect(state(1_000_000_000) == .ok)
        #expect(state(999_999_999) == .warning)
        #expect(state(99_999_999) == .problem)
    }

    /// A small disk may be meant to become fuller than a large one.
    @Test func theCachesDiskIsJudgedByWhatIsConfigured() {
        func finding(_ leastFree: Int) -> Finding {
            Examination.disk(
                .init(name: "cache", path: "/c", free: ByteCount(600_000_000), leastFree: ByteCount(leastFree)))
        }
        #expect(finding(500_000_000).state == .ok)
        #expect(finding(700_000_000).state == .warning)
        #expect(finding(700_000_000).message.contains("cache.least_free keeps 700 MB of it free"))
        #expect(finding(700_000_000).remedy?.hasSuffix("; or lower cache.least_free") == true)
    }

    /// A search of the home folder would never enter another disk.
    @Test func whatFillsADiskIsSearchedThere() {
        func finding(isOfHome: Bool, total: Int) -> Finding {
            Examination.disk(
                .init(
                    name: "cache", path: "/mnt/small disk", free: ByteCount(50_000_000), total: ByteCount(total),
                    leastFree: ByteCount(1_000_000_000), isOfHome: isOfHome))
        }
        #expect(finding(isOfHome: true, total: 9_000_000_000).remedy?.hasPrefix("du -xh --max-depth=2 ~ |") == true)
        #expect(finding(isOfHome: false, total: 9_000_000_000).remedy?.hasPrefix("du -xh --max-depth=2 '/mnt/small disk' |") == true)
        let small = finding(isOfHome: false, total: 60_000_000)
        #expect(small.message.contains("is on a disk of 60 MB, of which cache.least_free keeps 1 GB free"))
        #expect(small.remedy?.hasPrefix("set cache.least_free to a part of that") == true)
    }

    @Test func smallKernelLimitNamesTheCommandThatRaisesIt() {
        let found = Self.faults { $0.inotify["max_user_watches"] = 100 }
        #expect(
            found.first?.remedy
                == "echo fs.inotify.max_user_watches=65536 | sudo tee /etc/sysctl.d/60-woodshed-watches.conf && sudo sysctl --system")
    }

    @Test func everyGapInTheSandboxIsALineWithARemedy() {
        let gaps: [SandboxGap] = [.fonts(inFolder: "/no landlock"), .noLandlock, .noFilter, .openNetwork]
        let found = Self.faults { $0.renderer = .works(tag: RendererTag("raster-1"), gaps: gaps) }
        #expect(found.map(\.message) == gaps.map(\.description))
        #expect(found.allSatisfy { $0.state == .warning } && found.map(\.subject) == ["fonts", "sandbox", "sandbox", "sandbox"])
        for (found, remedy) in zip(found, ["fonts", "lsm=", "CONFIG_SECCOMP_FILTER", "CONFIG_SECCOMP_FILTER"]) {
            #expect(found.remedy?.contains(remedy) == true, "\(found)")
        }
        // A renderer that does not start reports no gaps, so none are listed.
        #expect(Self.faults { $0.renderer = .fails("gone") }.map(\.subject) == ["woodshed-render"])
    }

    @Test func watchingThatFellBackToALookAMinuteIsSaid() {
        let trouble = Self.faults { $0.watching = AgentReport.Watching(folders: 4, trouble: "this user's limit is used up") }
        #expect(trouble.map(\.subject) == ["watching"] && trouble[0].state == .warning)
        #expect(trouble[0].message == "the agent checks for changes only once a minute: this user's limit is used up")
        let scanned = Self.faults { $0.watching = AgentReport.Watching(folders: 4, scanned: ["/net/a", "/net/b"]) }
        #expect(scanned.map(\.state) == [.warning, .warning])
        #expect(zip(scanned, ["/net/a", "/net/b"]).allSatisfy { $0.message.hasPrefix("\($1) cannot be watched") })
        #expect(Self.faults { $0.watching = AgentReport.Watching(folders: 4) } == [])
    }

    @Test func lockIsReadFromTheKernelsTable() {
        let table = """
            1: POSIX  ADVISORY  READ  3186 fd:03:1180 128 128
            2: FLOCK  ADVISORY  WRITE 708 00:16:1131 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 709 00:16:77 0 EOF
            """
        #expect(DoctorFacts.isLocked(inode: 1131, in: table))
        #expect(!DoctorFacts.isLocked(inode: 131, in: table))
        #expect(!DoctorFacts.isLocked(inode: 1180, in: table), "SQLite's locks are not ours")
        #expect(!DoctorFacts.isLocked(inode: 77, in: table), "who waits holds nothing")
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"), ("Sat, 21 Nov 2026 03:00:00 GMT", "2026-11-21T03:00:00Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("", nil),
    ])
    func dateOfAnAnswerIsRead(text: String, expected: String?) {
        #expect(HTTPDate.parse(text)?.description == expected)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct CatalogueExaminationTests {
    private func findings(
        _ condition: CatalogueCondition, charts: Int = 3, unknown: Int = 0, obstacle: String? = nil, _ backups: [Bool] = [true]
    ) throws -> [String] {
        let home = TemporaryFolder()
        try Folder.create(home.path("backups"))
        for (number, isWhole) in backups.enumerated() {
            try AtomicFile.write(
                isWhole ? "" : "rubbish", to: home.path("backups/catalogue-000\(number + 1)-2026-11-22T10-04-17Z.sqlite"))
        }
        let found = Dictionary(uniqueKeysWithValues: zip(try Library.backups(in: home.path), backups))
        let state = CatalogueState(condition: condition, charts: charts, unknownCharts: unknown, backups: found, obstacle: obstacle)
        return Examination.catalogue(.success(state)).map { "\($0.state.rawValue) \($0.subject)" }
    }

    @Test func aCatalogueIsJudgedByItselfAndByWhatThereIsToGoBackTo() throws {
        #expect(try findings(.intact) == ["ok catalogue", "ok backups"])
        #expect(try findings(.intact, []) == ["ok catalogue", "warning backups"])
        #expect(try findings(.intact, [false, true]) == ["ok catalogue", "warning backups"])
        #expect(try findings(.intact, unknown: 2) == ["warning catalogue", "ok backups"])
        #expect(try findings(.intact, obstacle: "/data/catalogue.generation") == ["problem catalogue", "ok backups"])
        for condition in [CatalogueCondition.missing, .empty, .foreign, .damaged("x"), .blank] {
            #expect(try findings(condition).first == "problem catalogue")
        }
        #expect(try findings(.missing, charts: 0, []) == ["ok catalogue"])
    }
}
