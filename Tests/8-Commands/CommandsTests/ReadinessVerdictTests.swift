import ChartFiles
import CommandTestSupport
import JSON
import Library
import Model
import Platform
import Sync
import Testing

@testable import Agent
@testable import CommandLine
@testable import Readiness
@testable import Commands

/// The verdicts of `woodshed ready` and `woodshed status`, made without a library or a cache.
@Suite(.timeLimit(.minutes(5)))
struct ReadinessVerdictTests {
    private static let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
    private static let hash = ChartHash(SHA256.digest(of: "chart"))

    private static func chart(_ lacks: [ReadinessLack] = [], notes: [ReadinessNote] = [], id: String = "7") -> ReadinessReport.Chart {
        ReadinessReport.Chart(
            attachment: AttachmentID(id), filename: "Grace\u{1B}[2J.pdf", item: "Opening", hash: hash, pages: 2, wanted: 4,
            present: lacks.isEmpty ? 4 : 3, lacks: lacks, notes: notes)
    }

    private static func plan(_ id: String, _ charts: [ReadinessReport.Chart], lacks: [ReadinessLack] = []) -> ReadinessReport.Plan {
        let time = now + .seconds(86_400)
        return ReadinessReport.Plan(
            plan: Plan(id: PlanID(id), serviceType: ServiceTypeID("1"), title: "Plan \(id)", firstTime: time, lastTime: time),
            charts: charts, lacks: lacks)
    }

    private static func verdict(
        _ plans: [ReadinessReport.Plan], poll: Duration? = .seconds(300), maxAge: Duration? = .seconds(86_400), isThorough: Bool = true,
        clockAhead: Duration? = nil, doubt: ReadinessLack? = nil
    ) -> ReadinessVerdict {
        let report = ReadinessReport(
            asOf: now, lastPoll: poll.map { now - $0 }, isThorough: isThorough, plans: plans, clockAhead: clockAhead, doubt: doubt)
        return ReadinessVerdict(report: report, maxAge: maxAge)
    }

    /// A plan of a folder whose name is only a date, from midnight to midnight.
    private static func set(_ charts: [ReadinessReport.Chart], lacks: [ReadinessLack] = []) -> ReadinessReport.Plan {
        let midnight = Timestamp(nanoseconds: LocalTime.nanoseconds(ofWallTime: 1_796_515_200_000_000_000))
        return ReadinessReport.Plan(
            plan: Plan(
                id: .ofSet("2026-12-06"), serviceType: ServiceTypeID("set"), title: "Advent", firstTime: midnight,
                lastTime: midnight + .seconds(86_340)),
            charts: charts, lacks: lacks)
    }

    @Test func aPlanWithoutATimeOfDayIsNamedByItsDay() {
        let plan = Self.set([Self.chart()])
        #expect(Self.verdict([plan]).headline == "Ready: Sun  6 Dec, Advent: 1 chart, 2 pages, all here and intact.")
        #expect(plan.heading == "Sun  6 Dec  Advent (plan set/2026-12-06)")
    }

    /// Where no account is configured, the service is never spoken of.
    @Test func withoutAnAccountTheMusiciansFoldersAreSpokenOf() {
        func verdict(_ plans: [ReadinessReport.Plan], poll: Duration?) -> ReadinessVerdict {
            var report = Self.verdict(plans, poll: poll).report
            report.source = .sets
            return ReadinessVerdict(report: report, maxAge: .seconds(86_400))
        }
        #expect(verdict([Self.set([Self.chart()])], poll: .seconds(300)).asOf.hasSuffix("; your folders were read 5 min ago."))
        #expect(verdict([], poll: nil).headline.hasPrefix("Not ready: your folders have never been read completely, so"))
        let old = verdict([Self.set([Self.chart()])], poll: .seconds(3 * 86_400))
        #expect(!old.isReady && old.headline.hasSuffix(", but your folders were last read 3 days ago."))
        let held = ReadinessLack.heldBack(.chartsLost(7, of: 9), plan: .ofSet("2026-12-06"))
        var states = [old, verdict([], poll: .seconds(300)), verdict([], poll: nil), verdict([], poll: .seconds(-600))]
        for lack in [held, .askedOtherwise(settings: ["plans.ahead"]), .restored(from: nil), .noChart(because: "line 1: none")] {
            states.append(verdict([Self.set([Self.chart()], lacks: [lack])], poll: .seconds(300)))
        }
        for lack in [
            ReadinessLack.outOfDate(because: nil), .cannotBeOpened(reason: "it is empty"), .cannotBeDrawn([PageIndex(0)], reason: ""),
        ] {
            states.append(verdict([Self.set([Self.chart([lack])])], poll: .seconds(300)))
        }
        for var state in states {
            var agent = Self.busy
            agent.pause = nil
            state.agent = .answered(agent)
            let captured = CapturedOutput()
            state.print(on: captured.output)
            let status = Self.status(state, .absent).lines(width: nil, isColored: false).joined(separator: "\n")
            let all = captured.results + state.brief.state + status
            #expect(!all.contains("service"), "\(all)")
        }
    }

    private static let lacking = chart([.damaged([PageIndex(1)])], id: "8")

    @Test func thatTheAgentKeepsNothingNewIsSaidOfEveryPlan() {
        var agent = Self.busy
        agent.unkept = "the disk of /data is full"
        var verdict = Self.verdict([Self.plan("1", [Self.chart()])])
        verdict.agent = .answered(agent)
        let captured = CapturedOutput()
        verdict.print(on: captured.output)
        let words = captured.results.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("the disk of /data is full"), "\(words)")
    }

    @Test func thatAllLinksAreAwayIsOneLine() {
        let note = ReadinessNote.linkLeftBehind(LinkLeftBehind(path: "/home/anna/Music", isThere: false, away: "/media/stick"))
        let captured = CapturedOutput()
        Self.verdict([Self.plan("1", [Self.chart(notes: [note]), Self.chart(notes: [note], id: "8")])]).print(on: captured.output)
        let words = captured.results.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.ranges(of: "/home/anna/Music is a link to /media/stick, which is away").count == 1, "\(words)")
        #expect(!words.contains("Grace"))
    }

    /// A backup may have been made before the last answers.
    @Test(arguments: [
        (ReadinessVerdictTests.now as Timestamp?, "what the service has answered since "),
        (nil, "it is not known here any more when the service"),
    ])
    func ofACatalogueFromABackupNobodySaysThatTheServiceNeverAnswered(backup: Timestamp?, words: String) {
        let verdict = Self.verdict([Self.plan("1", [Self.chart()])], poll: nil, doubt: .restored(from: backup))
        #expect(verdict.asOf.contains(words), "\(verdict.asOf)")
        let status = Self.status(verdict, .absent).lines(width: nil, isColored: false).joined(separator: "\n")
        #expect(status.contains(words) && !status.contains("has never answered"), "\(status)")
        #expect(Self.verdict([], poll: nil).asOf.contains("the service has never answered in full"))
    }

    @Test func oneReadyPlanIsReady() {
        let verdict = Self.verdict([Self.plan("1", [Self.chart(), Self.chart()])])
        #expect(verdict.isReady)
        // A chart that is shown twice counts once.
        #expect(verdict.headline.hasPrefix("Ready: ") && verdict.headline.hasSuffix("Plan 1: 1 chart, 2 pages, all here and intact."))
        #expect(verdict.asOf.hasSuffix("the service last answered in full 5 min ago."))
        #expect(Self.verdict([Self.plan("1", [Self.chart()])], isThorough: false).headline.hasSuffix("1 chart, 2 pages, all here."))
    }

    @Test func aPlanThatIsOnlyListedIsNotReadyAndNotCalledEmpty() {
        let failed = ReadinessLack.unread(since: Self.now, because: "the service has trouble (500: no answer)")
        for (lack, words) in [(failed, "could not be fetched."), (.unread(since: Self.now, because: nil), "has not been fetched yet.")] {
            let verdict = Self.verdict([Self.plan("1", [], lacks: [lack]), Self.plan("2", [Self.chart()])])
            #expect(!verdict.isReady && !verdict.isNextReady)
            #expect(verdict.nextHeadline.hasPrefix("Not ready: the service lists a plan for "))
            #expect(verdict.nextHeadline.contains(", Plan 1, that \(words)"))
            #expect(verdict.headline.contains("; the next, ") && verdict.headline.hasSuffix(", Plan 1, \(words)"))
            #expect(verdict.lacks.first?.hasPrefix("Plan 1: the service lists this plan, but what is in it ") == true)
        }
        let moved = Self.verdict([Self.plan("1", [Self.chart()], lacks: [failed])])
        #expect(moved.headline.hasSuffix("all here and intact, but the service could not be asked what is in it now."))
    }

    @Test(arguments: [
        (Duration.seconds(60 * 86_400), "60 days ahead of"), (.seconds(-400 * 86_400), "400 days behind"), (.seconds(7200), "2 h ahead of"),
    ])
    func aClockThatTheServiceContradictsTellsOfNoNextPlan(ahead: Duration, words: String) {
        for plans in [[], [Self.plan("1", [Self.chart()])]] {
            let verdict = Self.verdict(plans, clockAhead: ahead)
            #expect(!verdict.isReady && !verdict.isNextReady)
            #expect(verdict.clockDoubt?.contains(words) == true)
        }
    }

    @Test func aClockIsDoubtedByTheLastPoll() {
        let plan = Self.plan("1", [Self.chart()])
        #expect(Self.verdict([plan]).clockDoubt == nil)
        #expect(Self.verdict([plan], clockAhead: .seconds(600)).isReady)
        let behind = Self.verdict([plan], poll: .seconds(-86_400))
        #expect(!behind.isReady && behind.clockDoubt != nil && behind.headline.contains("the clock is behind"))
        let ahead = Self.verdict([], poll: .seconds(60 * 86_400))
        #expect(!ahead.isReady && ahead.clockDoubt?.contains("there may be an upcoming plan") == true)
        #expect(Self.verdict([]).clockDoubt == nil)
    }

    @Test func aPlanWithoutChartsSaysSo() {
        let verdict = Self.verdict([Self.plan("1", [])])
        #expect(verdict.isReady && verdict.headline.hasPrefix("Ready: ") && verdict.headline.hasSuffix(", Plan 1 has no charts."))
        let old = Self.verdict([Self.plan("1", [])], poll: nil)
        #expect(!old.isReady && old.headline.hasSuffix("Plan 1 has no charts, but the service has never answered in full."))
        let next = Self.verdict([Self.plan("1", []), Self.plan("2", [Self.lacking])])
        #expect(next.nextHeadline.hasSuffix("Plan 1 has no charts. 1 of 1 other plan is missing something."))
        let gone = Self.verdict([Self.plan("1", [], lacks: [.nothingHangs(files: 2)])])
        #expect(!gone.isReady && gone.headline.hasSuffix("Plan 1 has no charts, which may be wrong."))
    }

    /// Marks that are left out are reported, but do not make a plan unready.
    @Test func marksThatAreLeftOutAreTold() {
        let page = [PageIndex(49)]
        let notes: [ReadinessNote] = [
            .marksBeyond(page, of: "'bowings' by Ann", path: nil, chartPages: 7),
            .marksLeftOut(["strokes without points left out: 2"], path: "/m/x.xopp"),
            .moreMarksLeftOut(1),
        ]
        let report = ReadinessReport(
            asOf: Self.now, lastPoll: Self.now, isThorough: true, plans: [Self.plan("1", [Self.chart(notes: notes)])],
            unmatchedMarks: [.init(path: "/m/u.xopp", names: "/x/unknown.pdf"), .init(path: "/m/v.xopp", names: nil)],
            marksBeyond: [
                MarksBeyond(
                    attachment: AttachmentID("9"), filename: "Far.pdf", layer: LayerID("file:/m/far.xopp"), pages: page, chartPages: 1)
            ])
        let verdict = ReadinessVerdict(report: report, maxAge: nil)
        let told = [
            "the marks of 'bowings' by Ann are partly on page 50, which this chart of 7 pages does not have",
            "your marks: /m/x.xopp is not all drawn as it was made: strokes without points left out: 2; 'woodshed help marks' says what can be drawn",
            "1 more file or layer has marks that are not drawn as they were made",
        ]
        let unseen = [
            "your marks: /m/u.xopp belongs to no chart here; it names /x/unknown.pdf",
            "your marks: /m/v.xopp belongs to no chart here; it names none",
            "your marks: /m/far.xopp has some on page 50, which Far.pdf of 1 page does not have",
        ]
        let captured = CapturedOutput()
        verdict.print(on: captured.output)
        let words = captured.results.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for sentence in told { #expect(words.contains("· " + sentence), "\(captured.results)") }
        for sentence in unseen { #expect(words.contains("Not shown: " + sentence), "\(captured.results)") }
        #expect(verdict.isReady && captured.results.hasPrefix("Ready: "))

        let status = Self.status(verdict, .absent)
        #expect(status.problems == unseen + told.map { "Grace\u{1B}[2J.pdf (Opening): \($0)" })
        #expect(status.lines(width: nil, isColored: false).contains { $0.contains("ready, marks on pages it lacks") })
        let json = ReadinessVerdict.form.json(verdict).line
        #expect(
            json.contains(#""unmatched_marks":[{"path":"/m/u.xopp","names":"/x/unknown.pdf"},{"path":"/m/v.xopp","names":null}]"#),
            "\(json)")
        #expect(json.contains(#""marks_beyond":[{"chart":"9","filename":"Far.pdf","chart_pages":1,"layer":"file:/m/far.xopp","#), "\(json)")
        #expect(json.contains(##""note":"marks-left-out","message":"\##(told[1])","pages":[],"path":"/m/x.xopp"}"##), "\(json)")
    }

    @Test func anyLackIsToldFirst() {
        let verdict = Self.verdict([Self.plan("1", [Self.lacking, Self.chart()])])
        #expect(!verdict.isReady)
        #expect(verdict.headline.hasPrefix("Not ready: ") && verdict.headline.hasSuffix("1 of 2 charts is missing something."))
        let held = Self.verdict([Self.plan("1", [Self.chart()], lacks: [.heldBack(.chartsLost(7, of: 9), plan: PlanID("1"))])])
        #expect(!held.isReady && held.headline.hasSuffix("is held back."))
        let otherwise = Self.verdict([Self.plan("1", [Self.chart()], lacks: [.askedOtherwise(settings: ["plans.ahead"])])])
        #expect(!otherwise.isReady && otherwise.headline.hasSuffix(", but the service was last asked with other settings."))
    }

    @Test(arguments: [
        (Duration.seconds(86_401), false), (.seconds(86_400), true), (.seconds(-30), true), (.seconds(-3600), false), (nil, false),
    ])
    func wordOfTheServiceMustBeYoung(poll: Duration?, isYoung: Bool) {
        let verdict = Self.verdict([Self.plan("1", [Self.chart()])], poll: poll)
        #expect(verdict.isYoung == isYoung && verdict.isReady == isYoung)
        #expect(verdict.headline.hasPrefix("Not ready") != isYoung)
        #expect(Self.verdict([Self.plan("1", [Self.chart()])], poll: poll, maxAge: nil).isReady)
    }

    @Test func nothingIsNotReady() {
        #expect(!Self.verdict([]).isReady)
        #expect(Self.verdict([]).headline.hasPrefix("Nothing to be ready for"))
    }

    @Test(arguments: [ReadinessLack.begunAnew(charts: 16), .restored(from: nil), .restored(from: now)])
    func aLostCatalogueIsToldEvenWhereNoPlanIsKnown(doubt: ReadinessLack) throws {
        let verdict = Self.verdict([], poll: nil, doubt: doubt)
        #expect(!verdict.isReady)
        #expect(verdict.headline == "Not ready: \(doubt.sentence)." && verdict.lacks == [doubt.advised])
        #expect(!doubt.sentence.contains("1970"))
        let captured = CapturedOutput()
        verdict.print(on: captured.output)
        #expect(captured.results.contains("woodshed sync"))
        captured.output.result(verdict, as: ReadinessVerdict.form)
        #expect(captured.results.contains(doubt.name))
        #expect(!Self.verdict([Self.plan("1", [Self.chart()], lacks: [doubt])], doubt: doubt).isReady)
        let status = Status(
            verdict: verdict,
            cache: CacheState(images: 0, size: ByteCount(0), limit: ByteCount(9), free: ByteCount(9), leastFree: ByteCount(1)),
            agent: .absent, names: [:])
        #expect(status.problems.contains { $0.hasPrefix(doubt.sentence) })
    }

    /// A full disk is one matter, however many charts wait for room.
    @Test func aFullDiskIsToldOnce() {
        let full = ReadinessLack.noRoom(
            images: 20, RoomShortage(isOfDisk: true, "the disk is short, so there is no room for 20 images", remedy: "free some space"))
        let verdict = Self.verdict([Self.plan("1", (1...10).map { Self.chart([full], id: "\($0)") })])
        #expect(verdict.lacks == [full.advised])
        let captured = CapturedOutput()
        verdict.print(on: captured.output)
        let words = captured.results.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.ranges(of: full.advised).count == 1 && !words.contains("Grace"), "\(captured.results)")

        var agent = AgentReport(version: "1", process: 1, since: Self.now)
        (agent.room, agent.complaints) = ("the disk is short, so there is no room for 18 images; free some space", ["other"])
        agent.complaints += [agent.room].compactMap(\.self)
        let cache = CacheState(images: 3, size: ByteCount(1), limit: ByteCount(2), free: ByteCount(3), leastFree: ByteCount(4))
        let status = Status(verdict: verdict, cache: cache, agent: .answered(agent), names: [:])
        #expect(status.problems == [full.advised, "other"])
    }

    @Test func anAgentThatHangsIsToldWithThePlan() {
        var verdict = Self.verdict([Self.plan("1", [Self.chart()])])
        verdict.agent = .silent(process: 9, because: "it hangs")
        let captured = CapturedOutput()
        verdict.print(on: captured.output)
        #expect(verdict.isReady && captured.results.contains("An agent is running but does not answer: it hangs."), "\(captured.results)")
    }

    @Test func nextPlanIsAnsweredForByItself() {
        let verdict = Self.verdict([Self.plan("1", [Self.chart()]), Self.plan("2", [Self.lacking]), Self.plan("3", [Self.chart()])])
        #expect(!verdict.isReady && verdict.isNextReady)
        #expect(verdict.headline.hasPrefix("Not ready: 1 of 3 plans is missing something; the next, "))
        #expect(verdict.nextHeadline.hasPrefix("Ready: ") && verdict.nextHeadline.hasSuffix("1 of 2 other plans is missing something."))
        let all = Self.verdict([Self.plan("1", [Self.chart()]), Self.plan("2", [Self.chart()])])
        #expect(all.isReady && all.headline.hasPrefix("Ready: both plans, next "))
        #expect(all.nextHeadline.hasSuffix("So is the other plan."))
    }

    @Test func whereOnlyASettingChangedNothingIsKnownToBeMissing() {
        let changed = (2...3).map { Self.plan("\($0)", [Self.chart()], lacks: [.askedOtherwise(settings: ["charts.include"])]) }
        let verdict = Self.verdict([Self.plan("1", [Self.chart()])] + changed)
        #expect(verdict.nextHeadline.hasSuffix(" 2 of 2 other plans may be missing something."), "\(verdict.nextHeadline)")
        #expect(verdict.headline.hasPrefix("Not ready: 2 of 3 plans may be missing something; "), "\(verdict.headline)")
    }

    @Test func listNamesChartReasonAndRemedy() {
        let captured = CapturedOutput()
        let verdict = Self.verdict([
            Self.plan(
                "1",
                [Self.lacking, Self.chart([.notRendered([PageIndex(0)], images: 2)]), Self.chart(notes: [.formerImages(1)]), Self.chart()])
        ])
        verdict.print(on: captured.output)
        #expect(
            captured.results.contains("  Grace [2J.pdf (Opening)\n    - page 2: damaged image; 'woodshed cache verify'"),
            "\(captured.results)")
        #expect(captured.results.contains("    - 2 images of page 1 still to be made\n"))
        #expect(captured.results.contains("    · 1 image is of an older kind and being drawn again\n"))
        #expect(captured.results.contains("'woodshed sync' fetches and draws what is missing.\n"))
        #expect(!captured.results.contains("\u{1B}"))
        let json = ReadinessVerdict.form.json(verdict).line
        #expect(json.hasPrefix(#"{"ready":false,"#), "\(json)")
        #expect(json.contains(#"{"reason":"image-damaged","message":"page 2: damaged image","pages":[2],"path":null,"#))
        #expect(json.contains(#""notes":[{"note":"former-images","#))
    }

    // MARK: Status

    private static func status(_ verdict: ReadinessVerdict, _ agent: AgentAnswer, size: Int = 1_000_000) -> Status {
        Status(
            verdict: verdict,
            cache: CacheState(
                images: 3, size: ByteCount(size), limit: ByteCount(4_000_000), free: ByteCount(9_000_000),
                leastFree: ByteCount(1_000_000)),
            agent: agent, names: [hash: "Grace.pdf"])
    }

    private static let busy = AgentReport(
        version: "0.1.0", process: 812, since: now, pause: AgentReport.Pause(),
        polls: AgentReport.Polls(
            lastTry: now, reach: .offline, next: now + .seconds(1800),
            setbacks: [Setback("service", "cannot be reached: no route")]),
        rendering: AgentReport.Rendering(
            lanes: [
                AgentReport.Rendering.Lane(name: "page on screen", pages: 1, images: 1),
                AgentReport.Rendering.Lane(name: "next plan", pages: 11, images: 29),
            ],
            running: [AgentReport.Rendering.Page(hash, PageIndex(1))], workers: 1, mostWorkers: 2),
        watching: AgentReport.Watching(folders: 4, missing: ["/away"]), complaints: ["pinned plans are too large"])

    @Test func agentsWordIsPartOfTheStatus() {
        let verdict = Self.verdict(
            [Self.plan("1", [Self.chart([.notRendered([PageIndex(0)], images: 1)]), Self.chart()])], isThorough: false)
        let text = Self.status(verdict, .answered(Self.busy)).lines(width: nil, isColored: false).joined(separator: "\n")
        #expect(text.contains("✗  Grace [2J.pdf (Opening)  2 pages  3 of 4 images\n"), "\(text)")
        #expect(text.contains("✓  Grace [2J.pdf (Opening)  2 pages  ready\n"))
        #expect(text.contains("Service    answered in full 5 min ago; cannot be reached; asked again in 30 min\n"))
        #expect(text.contains("(process 812)\nPaused     until you resume it; 'woodshed resume' ends it\n"))
        #expect(text.contains("12 pages waiting (30 images: page on screen 1, next plan 11), 1 of 2 workers; now Grace.pdf page 2\n"))
        #expect(text.contains("  - service: cannot be reached: no route\n  - /away is missing"))
        #expect(!text.contains("still to be made"), "that is no trouble")
        let json = Status.form.json(Self.status(verdict, .answered(Self.busy))).line
        #expect(
            json.hasPrefix(#"{"ready":false,"#) && json.contains(#""agent_running":true,"agent":{"version":"0.1.0","#), "\(json)"
        )
        #expect(json.contains(#""paused":true,"paused_until":null"#))
    }

    @Test func whatNeedsNoActStandsWithItsPlan() throws {
        var plan = Self.plan("1", [Self.chart()])
        plan.notes = [.filesOfUnknown(["Stage Plot.pdf"]), .gone(since: Self.now)]
        let status = Self.status(Self.verdict([plan]), .absent)
        #expect(status.problems.isEmpty)
        let lines = status.lines(width: nil, isColored: false)
        #expect(lines.contains("  · not shown: 'Stage Plot.pdf' (not used by any item in this plan)"), "\(lines)")
        plan.notes = [.marksUntold(since: Self.now, because: "403")]
        #expect(Self.status(Self.verdict([plan]), .absent).problems.count == 1)
    }

    @Test func whereTheServiceHasNoMarksOfOthersIsNoProblemButTold() {
        var agent = Self.busy
        (agent.polls.noMarksAt, agent.polls.setbacks, agent.polls.reach) = ("https://music.example/notes", [], .reached)
        let status = Self.status(Self.verdict([Self.plan("1", [Self.chart()])]), .answered(agent))
        let text = status.lines(width: nil, isColored: false).joined(separator: "\n")
        #expect(text.contains("; has no marks of others at https://music.example/notes; asked again"), "\(text)")
        #expect(!status.problems.contains { $0.contains("music.example") })
    }

    @Test func whatBefellManyChartsAlikeIsOneProblem() {
        let charts = (1...14).map { number in
            ReadinessReport.Chart(
                attachment: AttachmentID("\(number)"), filename: "\(number).pdf", item: "Song", hash: nil, pages: nil, wanted: 0,
                present: 0, lacks: [.notDownloaded(because: "the disk is full")], notes: [.layersGone(["Ann's"])])
        }
        // A chart that is in two plans counts once.
        let problems = Self.status(Self.verdict([Self.plan("1", charts), Self.plan("2", [charts[0]])]), .absent).problems
        #expect(problems.count == 1, "marks that the service no longer lists are kept, and ask for nothing: \(problems)")
        #expect(problems.allSatisfy { $0.hasPrefix("1.pdf (Song) and 13 others: ") }, "\(problems)")
        #expect(problems[0].contains("the disk is full"))
    }

    /// A trouble with the last poll or with a folder is reported once if both a plan and the agent report it.
    @Test func whatThePlansLackIsNotToldAgainForTheAgent() {
        let doubt = LayerDoubt(
            layer: LayerID("l"), attachment: AttachmentID("7"), name: "bowings", personName: "Ann", since: Self.now,
            reason: .unreadable("15 of its 15 marks cannot be read"), keepsFormer: true)
        let verdict = Self.verdict([
            Self.plan("1", [Self.chart([.layerDoubted(doubt)])], lacks: [.marksUnseen(inFolder: "/m")])
        ])
        let sentence = doubt.advised(in: .local)
        let agent = AgentReport(
            version: "1", process: 1, since: Self.now,
            polls: AgentReport.Polls(
                setbacks: [Setback("marks of Plan 1", sentence), Setback("service", "is slow"), Setback("Plan 9", "cannot be read")]),
            rendering: AgentReport.Rendering(), watching: AgentReport.Watching(missing: ["/m", "/n"]),
            marks: [Setback("/m", "cannot be read"), Setback("/o", "cannot be read")])
        let problems = Self.status(verdict, .answered(agent)).problems
        #expect(problems.count { $0.contains(sentence) } == 1, "\(problems)")
        #expect(problems.count { $0.contains("/m") } == 1, "\(problems)")
        for other in ["service: is slow", "Plan 9: cannot be read", "/n is missing", "/o: cannot be read"] {
            #expect(problems.contains { $0.hasPrefix(other) })
        }
        #expect(verdict.headline.hasPrefix("Not ready: "))
        let lacks = [ReadinessLack.marksUnseen(inFolder: "/m")]
        let folder = Self.verdict([Self.plan("1", [Self.chart()], lacks: lacks), Self.plan("2", [Self.chart()], lacks: lacks)])
        #expect(folder.lacks.count == 1 && folder.lacks[0].hasPrefix("Plan 1, Plan 2: "), "\(folder.lacks)")
        #expect(folder.nextHeadline.contains("all here and intact, but a folder of your marks cannot be read."), "\(folder.nextHeadline)")
    }

    @Test(arguments: [6, 12, 24, 50]) func onAScreenWhatNeedsAttentionIsSeenFirst(rows: Int) throws {
        let charts = (1...20).map { Self.chart([.cannotBeOpened(reason: "for reason \($0)")]) }
        let status = Self.status(Self.verdict([Self.plan("1", charts)], isThorough: false), .answered(Self.busy))
        let lines = status.lines(width: 80, rows: rows, isColored: false)
        let attention = try #require(lines.firstIndex { $0.contains("Needs attention") })
        let plan = try #require(lines.firstIndex { $0.contains("Plan 1") && !$0.contains("eady") })
        #expect(attention < plan && plan <= max(rows / 2 + 4, 6), "\(lines)")
        #expect(lines[..<plan].contains { $0.hasPrefix("  … and ") && $0.hasSuffix(" more lines") })
        #expect(try #require(status.lines(width: 80, isColored: false).firstIndex { $0.contains("Needs attention") }) > plan)
    }

    @Test func statusFitsTheTerminal() {
        let reason = "it is said to be about as long as a sentence can well become before somebody stops reading it altogether"
        let verdict = Self.verdict([Self.plan("1", [Self.chart([.cannotBeOpened(reason: reason)]), Self.lacking])], isThorough: false)
        for agent in [AgentAnswer.absent, .silent(process: 9, because: nil), .answered(Self.busy)] {
            for width in [60, 80] {
                let lines = Self.status(verdict, agent).lines(width: width, isColored: false)
                for line in lines { #expect(DisplayWidth.of(line) <= width, "\(line)") }
            }
        }
        let text = Self.status(verdict, .absent, size: 5_000_000).lines(width: nil, isColored: false).joined(separator: "\n")
        #expect(text.contains("Agent      not running;"))
        #expect(text.contains("it cannot be opened: \(reason); get another copy"))
        #expect(text.contains("the page images take up 5 MB, more than their limit of 4 MB"))
        #expect(
            Self.status(verdict, .silent(process: 9, because: "it hangs")).problems.contains(
                "the agent is running but does not answer: it hangs")
        )
    }
}
