import Freshness
import JSON
import Library
import Model
import Platform
import Testing

@testable import Agent
@testable import CommandLine
@testable import Commands

@Suite(.timeLimit(.minutes(5)))
struct PageStoryTests {
    private let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
    private static let hash = ChartHash(SHA256.digest(of: "chart"))
    private static let renderer = RendererIdentity(tag: RendererTag("poppler-1"), fonts: FontSet(SHA256.digest(of: "fonts")))
    private let ann = LayerList.Entry(
        id: LayerID("1"), name: "Bowings", person: "Ann", file: nil, isShown: true, marks: [PageIndex(0): 7, PageIndex(1): 2],
        changedAt: Timestamp("2026-11-18T20:31:31Z"), outdated: [PageIndex(0)])
    private let mine = LayerList.Entry(
        id: LayerID("2"), name: "Riverside", person: "", file: "/music/Riverside.xopp", isShown: false, marks: [PageIndex(1): 3],
        marksInOtherKeys: [PageIndex(1): 2], outdated: [PageIndex(1)])

    private func inputs(_ variant: Variant = .annotated, marks: String? = "marks", tag: String = "poppler-1") -> ImageInputs {
        ImageInputs(
            renderer: RendererIdentity(tag: RendererTag(tag), fonts: Self.renderer.fonts), chart: Self.hash, chartNeedsFonts: false,
            page: PageIndex(1), variant: variant, settings: RenderSettings(fullSize: 800),
            marks: marks.map { MarkDigest(SHA256.digest(of: $0)) })
    }

    private func story(
        _ inputs: ImageInputs, variant: Variant = .annotated, layers: [LayerList.Entry] = [], _ condition: PageStory.Condition = .intact,
        record: ImageRecord? = nil, missReason: MissReason? = nil, plan: String? = nil, standing: ImageWorth.Standing? = nil,
        obstacles: [String] = [],
        news: [String] = [], prospect: String? = nil
    ) -> PageStory {
        let page = PageGeometry(width: 600, height: 800)
        return PageStory(
            chart: ChartFinder.Candidate(attachment: AttachmentID("790"), hash: Self.hash, filename: "Riverside.pdf", title: "River"),
            path: "/data/charts/c.pdf", pages: [page, page], variant: variant, inputs: inputs, layers: layers, unread: [], news: news,
            name: ImageName(inputs), file: "/cache/i.png", condition: condition, record: record, missReason: missReason, plan: plan,
            standing: standing, obstacles: obstacles, prospect: prospect)
    }

    private func record(_ inputs: ImageInputs, _ event: ImageEvent) -> ImageRecord {
        ImageRecord(name: ImageName(inputs), renderer: "poppler-1", event: event, size: ByteCount(1000), at: time)
    }

    @Test func itSaysWhatIsDrawnAndWhatIsHidden() {
        let lines = story(inputs(), layers: [ann, mine]).lines
        #expect(lines[0] == "Riverside.pdf (River), page 2, annotated")
        #expect(lines.contains("  page 2, 600 by 800 pixels, on paper #ffffff"))
        #expect(lines.contains("  renderer poppler-1"))
        #expect(lines.contains("  no fonts from this machine"))
        #expect(lines.contains { $0.hasPrefix("    'Bowings' by Ann: 2 marks, last changed 2026-11-1") && !$0.contains("UTC") })
        let hidden = lines.firstIndex(of: "Hidden, so not drawn:")
        let own = "    'Riverside' in your file /music/Riverside.xopp: 1 mark, and 2 for other keys, made on an older version of this chart"
        #expect(
            hidden.map { Array(lines[($0 + 1)...($0 + 2)]) } == [
                own, "If those on an older version are right as they are: woodshed accept 790",
            ])
        #expect(!story(inputs(), layers: [ann]).lines.contains { $0.contains("older version") })
        var inParts = mine
        inParts.otherFiles = ["/music/other.marks.json"]
        #expect(story(inputs(), layers: [inParts]).lines.contains { $0.contains("in your file /music/Riverside.xopp and 1 more: 1 mark") })
    }

    @Test func whatIsNotDrawnIsToldWithWhatCanBe() throws {
        var story = story(inputs(), layers: [mine])
        #expect(!story.lines.contains { $0.contains("help marks") })
        story.leftOut = ["strokes without points left out: 2"]
        let place = try #require(story.lines.firstIndex(of: "Not drawn as it was made: strokes without points left out: 2."))
        #expect(story.lines[place + 1] == "'woodshed help marks' says what can be drawn.")
    }

    @Test func whatIsStillToComeIsSaid() {
        let story = story(inputs(), .missing, missReason: .neverMade, news: ["your marks: /m/a.xopp is new"], prospect: "Soon.")
        #expect(story.lines.contains("Your marks: /m/a.xopp is new."))
        #expect(story.lines.contains("Soon."))
        #expect(PageStory.form.json(story).line.contains(#""news":["your marks: /m/a.xopp is new"]"#))
    }

    @Test func anAgentSaysWhoMakesAPage() {
        let page = AgentReport.Rendering.Page(Self.hash, PageIndex(1))
        func report(running: [AgentReport.Rendering.Page] = [], pause: AgentReport.Pause? = nil) -> AgentAnswer {
            .answered(
                AgentReport(
                    version: "1", process: 9, since: time, pause: pause,
                    rendering: AgentReport.Rendering(
                        lanes: [AgentReport.Rendering.Lane(name: "next plan", pages: 3, images: 5)], running: running)))
        }
        #expect(AgentAnswer.absent.prospect(of: page).contains("'woodshed sync'"))
        let words = [AgentAnswer.absent, .silent(process: 9, because: nil), report(), report(pause: .init())].map(\.prospect)
        for (said, word) in zip(words, ["'woodshed sync'", "does not say", "running agent fetches", "after 'woodshed resume'"]) {
            #expect(said.contains(word) && words.count { $0.contains(word) } == 1, "\(said)")
        }
        #expect(AgentAnswer.silent(process: 9, because: nil).prospect(of: page).contains("does not say"))
        #expect(report().prospect(of: page) == "The running agent draws it in turn; 3 pages are waiting.")
        #expect(report(running: [page], pause: AgentReport.Pause()).prospect(of: page).contains("right now"))
        #expect(report(pause: AgentReport.Pause()).prospect(of: page).contains("'woodshed resume'"))
    }

    @Test func aPageWithoutMarksIsThePlainOne() {
        let plain = story(inputs(marks: nil))
        #expect(plain.inputs.variant == .plain)
        #expect(plain.lines[1].contains("No marks are drawn on this page"))
        #expect(plain.causes.contains { $0.contains("a first mark on this page") })
        let small = story(inputs(.thumbnail), variant: .thumbnail, layers: [ann])
        #expect(small.lines.contains("Marks on this page, which this image does not show:"))
        #expect(small.lines.contains { $0.hasSuffix("pixels, scaled down from 800, on paper #ffffff") })
        #expect(!small.causes.contains { $0.contains("mark") })
    }

    @Test(arguments: MissReason.allCases) func everyMissHasAReason(reason: MissReason) {
        let lines = story(inputs(), .missing, missReason: reason, obstacles: ["the disk is short"]).lines
        #expect(lines.contains { $0.hasPrefix("It is not here: ") && !$0.contains("nobody") })
        #expect(lines.contains("What stops it: the disk is short"))
    }

    @Test func whatBecameOfItIsToldWithTheTime() {
        let minute = TimeWords.local.minute(time)
        #expect(story(inputs(), record: record(inputs(), .made)).lines.contains("It was last made on \(minute), 1 kB."))
        let trimmed = story(inputs(), .missing, record: record(inputs(), .trimmed), missReason: .trimmed).lines
        #expect(trimmed.contains("It was made, and removed to stay within the cache's limits on \(minute)."))
        let other = story(inputs(), .missing, record: record(inputs(marks: "others"), .made), missReason: .neverMade).lines
        #expect(other.contains("The last annotated image of this page was made on \(minute), and not from the same things as this one."))
        #expect(story(inputs(), .damaged).lines.contains("It is here, but damaged: /cache/i.png"))
    }

    @Test func whoNeedsItIsSaidOrWhyNobodyDoes() {
        func said(_ plan: String? = nil, _ standing: ImageWorth.Standing? = nil) -> String? {
            story(inputs(), plan: plan, standing: standing).lines.dropLast().last
        }
        #expect(said("Sunday (plan 1)") == "It is kept ready for Sunday (plan 1).")
        #expect(said(nil, .far)?.hasPrefix("Its plan is too far ahead, so it is not made automatically") == true)
        #expect(said(nil, .past)?.hasPrefix("Its plan is past, so it is not made automatically") == true)
        #expect(said() == "No upcoming or pinned plan needs it, so it is not made automatically; with -o FILE this command draws it.")
    }

    @Test func whatWasWrittenIsWellWhateverTheCacheHas() {
        var story = story(inputs(), .missing, missReason: .neverMade)
        #expect(story.code == .notReady)
        story.written = ("/home/ann/page.png", ByteCount(2000))
        #expect(story.code == .fine && !story.lines.contains { $0.contains("with -o FILE") })
        #expect(PageStory.form.json(story).line.contains(#""written":"/home/ann/page.png""#))
    }

    @Test func programsGetTheSame() {
        let json = PageStory.form.json(story(inputs(), layers: [ann], .missing, record: record(inputs(), .vanished), missReason: .vanished))
            .line
        #expect(json.contains(#""condition":"missing""#))
        #expect(json.contains(#""missing_because":"vanished""#))
        #expect(json.contains(#""same":true,"fate":"vanished""#))
        #expect(json.contains(#""name":"Bowings","person":"Ann","file":null,"parts":[],"shown":true,"marks":2"#))
    }
}
