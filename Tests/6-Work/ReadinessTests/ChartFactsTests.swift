import ChartFiles
import Freshness
import Model
import Platform
import TestSupport
import Testing

@testable import Library
@testable import Marks
@testable import Readiness

/// What a chart lacks follows from the facts about the chart.
@Suite(.onLoop)
struct ChartFactsTests {
    private static let attachment = Attachment(id: AttachmentID("7"), filename: "Grace.pdf")
    private static let hash = ChartHash(SHA256.digest(of: "chart"))

    private static func facts(_ conditions: [ChartFacts.Condition], _ change: (inout ChartFacts) -> Void = { _ in }) -> ChartFacts {
        var facts = ChartFacts(attachment: attachment)
        facts.stored = StoredChart(hash: hash, size: 9, version: attachment.version)
        facts.path = "/charts/grace.pdf"
        facts.file = .intact
        facts.pages = conditions.count
        facts.images = conditions.enumerated().map { ChartFacts.Image(page: PageIndex($0), condition: $1) }
        change(&facts)
        return facts
    }

    private static func isReady(_ conditions: [ChartFacts.Condition], _ change: (inout ChartFacts) -> Void = { _ in }) -> Bool {
        facts(conditions, change).report.isReady
    }

    @Test func wholeChartIsReady() {
        let report = Self.facts([.intact, .intact]).report
        #expect(report.isReady && report.notes == [] && report.wanted == 2 && report.present == 2 && report.hash == Self.hash)
        // A chart without any pages lacks nothing.
        #expect(Self.isReady([]))
    }

    /// The number of the lost page decides whether the file is incomplete or a page is damaged; the wording of the reason does not.
    @Test func aFileWithoutSomeOfItsPagesIsIncompleteAndADamagedPageIsNot() {
        for (page, isIncomplete) in [(1, false), (2, true)] {
            let lost = LostContent(page: PageIndex(page), reason: "the PDF says that it has 3 pages", isAccepted: false)
            let lacks = Self.facts([.intact, .intact]) { $0.lostContent = [lost] }.lacks
            #expect(lacks.map { $0.sentence.hasPrefix("the file is incomplete: ") } == [isIncomplete], "\(lacks)")
        }
    }

    @Test func formerImagesCountWithANote() {
        let report = Self.facts([.intact, .former]).report
        #expect(report.isReady && report.present == 2 && report.notes == [.formerImages(1)])
        // While the images are there, it does no harm that the renderer cannot open the chart.
        #expect(Self.isReady([.intact, .former]) { $0.reasonNotToOpen = "broken" })
    }

    @Test(arguments: [
        (ChartFacts.File.gone, ReadinessLack.fileGone(path: "/charts/grace.pdf")), (.changed, .fileChanged(path: "/charts/grace.pdf")),
        (.unreadable("no right"), .fileUnreadable(path: "/charts/grace.pdf", reason: "no right")),
    ])
    func fileIsLookedAt(file: ChartFacts.File, lack: ReadinessLack) {
        #expect(Self.facts([.intact]) { $0.file = file }.lacks == [lack])
        // If the pages cannot be counted for the same reason, only the file is reported.
        #expect(
            Self.facts([]) {
                $0.file = file
                ($0.images, $0.pages) = (nil, nil)
            }.lacks == [lack])
    }

    @Test func whatNeverCameIsToldWithTheServicesWord() {
        #expect(Self.facts([]) { $0.stored = nil }.lacks == [.notDownloaded(because: nil)])
        let refused = Self.facts([]) {
            $0.stored = nil
            $0.refusal = "no permission"
        }
        #expect(refused.lacks == [.notDownloaded(because: "no permission")])
        let newer = Self.facts([.intact]) { $0.stored = StoredChart(hash: Self.hash, size: 9, version: "former") }
        #expect(newer.lacks == [.outOfDate(because: nil)])
    }

    @Test func uncountedAndUnopenableChartsAreTold() {
        #expect(Self.facts([]) { $0.images = nil }.lacks == [.notCounted(because: nil)])
        let uncounted = Self.facts([]) {
            $0.images = nil
            $0.reasonNotToCount = "the disk is full"
        }
        #expect(uncounted.lacks.map(\.sentence) == ["its pages have not been counted yet; it will be tried again: the disk is full"])
        #expect(
            Self.facts([]) {
                $0.images = nil
                $0.reasonNotToOpen = "broken"
            }.lacks == [.cannotBeOpened(reason: "broken")])
    }

    @Test func imagesAreToldByReason() {
        var facts = Self.facts([.missing, .damaged, .unreadable("no right"), .missing, .missing, .intact, .damaged])
        facts.images?[3].failure = "a bomb"
        facts.images?[4].isWithheld = true
        let shortage = RoomShortage(isOfDisk: false, "no room", remedy: "make some")
        facts.reasonToWithhold = shortage
        #expect(
            facts.lacks == [
                .cannotBeDrawn([PageIndex(3)], reason: "a bomb"), .damaged([PageIndex(1), PageIndex(6)]),
                .imagesUnreadable([PageIndex(2)], reason: "no right"), .noRoom(images: 1, shortage),
                .notRendered([PageIndex(0)], images: 1),
            ])
        #expect(facts.report.present == 1)
        // A recorded failure does not count once the image exists.
        #expect(Self.isReady([.intact]) { $0.images?[0].failure = "once" })
    }

    /// Only failures of the page without marks count against the chart.
    @Test func marksThatCannotBeDrawnAreNoFaultOfTheChart() {
        let facts = Self.facts([.intact, .missing, .former, .missing, .missing, .missing, .missing]) { facts in
            for (place, page) in [0, 0, 1, 1, 2, 2, 3].enumerated() {
                facts.images?[place].page = PageIndex(page)
                facts.images?[place].variant = [.plain, .annotated][place % 2]
                if facts.images?[place].condition == .missing { facts.images?[place].failure = "a bomb" }
            }
            facts.images?[6].failure = nil
            facts.marks.markers = [
                PageIndex(0): ["/m/b.xopp", "'bowings' by Ann"], PageIndex(1): ["/m/b.xopp"], PageIndex(2): ["/m/c.xopp"],
            ]
        }
        let blamed = ReadinessLack.marksCannotBeDrawn(
            [PageIndex(0), PageIndex(1)], of: ["'bowings' by Ann", "/m/b.xopp"], reason: "a bomb", chart: AttachmentID("7"))
        #expect(
            facts.lacks == [
                .cannotBeDrawn([PageIndex(2)], reason: "a bomb"), blamed, .notRendered([PageIndex(3)], images: 1),
            ])
        #expect(blamed.sentence.contains("/m/b.xopp") && blamed.sentence.contains("without marks the pages are here"))
        #expect(blamed.advised.contains("woodshed layers 7 --hide") && !blamed.advised.contains("another copy"))
    }

    @Test func foldersThatCannotBeReadCountWhereMarksWereInThem() {
        func state(_ path: String, _ attachment: String?) -> MarkFileState {
            MarkFileState(
                path: path, stamp: .unknown, attachment: attachment.map { AttachmentID($0) }, fault: nil, hasContent: true, notes: [])
        }
        let states = [
            state("/m/a.xopp", "1"), state("/m/in/b.xopp", "2"), state("/m/in/deep/b.xopp", "2"), state("/m/in/c.xopp", nil),
            state("/m/inner/d.xopp", "3"), state("/n/e.xopp", "4"),
        ]
        let links = [
            ChartLink(path: "/m/Sunday/1.pdf", attachment: AttachmentID("5"), target: "/c/5.pdf"),
            ChartLink(path: "/m/Sunday/2.pdf", attachment: AttachmentID("6"), target: "/c/6.pdf", stands: false),
        ]
        let found = UnreadableFolders(["/m/in", "/m/never", "/m/Sunday", "/n"], in: MarkRoots(["/m", "/n"]), knowing: states, links)
        #expect(found.whole == ["/n"] && found.folders == [AttachmentID("2"): ["/m/in"], AttachmentID("5"): ["/m/Sunday"]])
        let facts = Self.facts([.intact]) { $0.marks.unreadableFolders = ["/m/in"] }
        #expect(facts.lacks == [.marksUnseen(inFolder: "/m/in")])
    }

    @Test func marksAreToldByFile() {
        let facts = Self.facts([.intact]) {
            $0.marks.files = [
                MarkFacts.File(path: "/m/a.xopp", fault: "is cut off, line 3", keepsFormer: true),
                MarkFacts.File(path: "/m/b.xopp", fault: "was cut off", unread: .saved), MarkFacts.File(path: "/m/c.xopp"),
            ]
            $0.marks.olderPages = [PageIndex(0)]
        }
        #expect(
            facts.lacks == [
                .marksUnreadable(path: "/m/a.xopp", fault: "is cut off, line 3", keepsFormer: true),
                .marksUnread(path: "/m/b.xopp", .saved),
            ])
        #expect(facts.report.notes == [.olderMarks([PageIndex(0)], chart: AttachmentID("7"))])
        #expect(facts.lacks[0].sentence == "your marks: /m/a.xopp is cut off, line 3; its last good marks are shown")
        #expect(Self.isReady([.intact]) { $0.marks.olderPages = [PageIndex(0)] }, "a note, and no lack")
    }

    @Test func manyMarksThatVanishedAreALackAndFewAreANote() {
        var states = [1, 2].map { FormerMarks(number: $0, path: "/m/\($0)", vanishedAt: Timestamp(nanoseconds: 0), marks: 30, missing: 27) }
        states[0].isOfMany = true
        let facts = Self.facts([.intact]) { [states] in ($0.marks.vanished, $0.marks.gone) = (states, states) }
        let chart = AttachmentID("7")
        #expect(facts.lacks == [.marksVanished(states[0], chart: chart)])
        #expect(facts.report.notes == [.marksVanished(states[1], chart: chart)], "what is asked about is not noted once more")
        #expect(facts.lacks[0].sentence.contains("27 of 30 marks vanished from /m/1"))
        #expect(facts.lacks[0].advised.contains("woodshed layers 7 --restore 1") && facts.lacks[0].advised.contains("woodshed accept 7"))
    }

    @Test func ofOneMarkIsSpokenAsOfOne() {
        let state = FormerMarks(number: 1, path: "/m/1", vanishedAt: Timestamp(nanoseconds: 0), marks: 1, missing: 1)
        let note = ReadinessNote.marksVanished(state, chart: AttachmentID("7")).advised
        #expect(note.hasPrefix("your marks: the only mark vanished from /m/1; ") && note.contains(" writes it to another file"), "\(note)")
    }

    @Test func aHiddenFileIsANote() {
        let report = Self.facts([.intact]) { $0.marks.hiddenFiles = ["/m/a.xopp"] }.report
        #expect(report.isReady && report.notes == [.marksHidden(path: "/m/a.xopp", chart: AttachmentID("7"))])
    }

    /// The command quotes the folder's path, so that a shell reads it as one word, whatever characters it contains.
    @Test func aCommandThatIsToBeTypedIsToldAsAShellReadsIt() {
        let told = ReadinessLack.marksUnread(path: "/m/it's mine/b.xopp", .savedOutside).advised
        #expect(told.hasSuffix(#"or run: woodshed accept --gone '/m/it'\''s mine'"#), "\(told)")
    }

    @Test func fewOfManyFilesAreNamed() {
        func lacks(_ count: Int) -> [ReadinessLack] {
            Self.facts([.intact]) { $0.marks.files = (0..<count).map { MarkFacts.File(path: "/m/\($0)", unread: .new) } }.lacks
        }
        #expect(lacks(5) == (0..<5).map { .marksUnread(path: "/m/\($0)", .new) })
        #expect(lacks(9) == lacks(5) + [.moreMarksUnread(files: 4)])
        let notes = Self.facts([.intact]) { $0.marks.hiddenFiles = (0..<8).map { "/m/\($0)" } }.report.notes
        #expect(notes.count == 6 && notes[5] == .moreMarksLeftOut(3))
    }

    // MARK: Former images

    private static let former = RendererIdentity(tag: RendererTag("old"), fonts: FontSet(SHA256.digest(of: "fonts")))
    private static let renderer = RendererIdentity(tag: RendererTag("new"), fonts: FontSet(SHA256.digest(of: "fonts")))

    private static func image(
        _ variant: Variant, by renderer: RendererIdentity, size: Int = 2732, paper: Color = .white, marks: String? = nil,
        fonts: Bool = false
    ) -> WantedImage {
        WantedImage(
            ImageInputs(
                renderer: renderer, chart: hash, chartNeedsFonts: fonts, page: PageIndex(0), variant: variant,
                settings: RenderSettings(fullSize: size, paper: paper), marks: marks.map { MarkDigest(SHA256.digest(of: $0)) }),
            priority: RenderPriority(planRank: 0, chartPlace: 0, page: PageIndex(0), variant: variant))
    }

    /// Whether `present` is shown in place of `wanted`, with or without a record of how `present` was drawn.
    @LoopActor private static func isShown(_ wanted: WantedImage, by present: WantedImage, isRemembered: Bool = true) throws -> Bool {
        let record = ImageRecord(
            name: present.name, renderer: present.inputs.rendererName, event: .made, size: ByteCount(1), at: Timestamp(nanoseconds: 0),
            format: isRemembered ? ImageFormat(present.inputs) : nil)
        return try FormerImages([present.name]) { _ in record }.showing(wanted) == [present.name]
    }

    @Test(arguments: [false, true])
    @LoopActor func imagesOfAnotherSizeOrPaperShowTheSame(needsFonts: Bool) throws {
        let dark = Color(red: 20, green: 20, blue: 20)
        for variant in Variant.allCases {
            let marks = variant == .annotated ? "m" : nil
            let wanted = Self.image(variant, by: Self.renderer, marks: marks, fonts: needsFonts)
            for renderer in [Self.renderer, Self.former] {
                let smaller = Self.image(variant, by: renderer, size: 900, marks: marks, fonts: needsFonts)
                let darker = Self.image(variant, by: renderer, paper: dark, marks: marks, fonts: needsFonts)
                #expect(try Self.isShown(wanted, by: smaller), "\(variant) in another size")
                #expect(try Self.isShown(wanted, by: darker), "\(variant) on other paper")
            }
        }
        let wanted = Self.image(.annotated, by: Self.renderer, marks: "m", fonts: needsFonts)
        let stale = Self.image(.annotated, by: Self.renderer, size: 900, marks: "former", fonts: needsFonts)
        #expect(try !Self.isShown(wanted, by: stale), "that shows other marks")
        let unknown = Self.image(.annotated, by: Self.renderer, size: 900, marks: "m", fonts: needsFonts)
        #expect(try !Self.isShown(wanted, by: unknown, isRemembered: false), "nobody knows what that shows")
    }

    @Test(arguments: [false, true])
    @LoopActor func anotherRenderersImagesShowTheSame(needsFonts: Bool) throws {
        for variant in [Variant.plain, .thumbnail] {
            let wanted = Self.image(variant, by: Self.renderer, fonts: needsFonts)
            #expect(try Self.isShown(wanted, by: Self.image(variant, by: Self.former, size: 900, fonts: needsFonts)))
        }
        let wanted = Self.image(.annotated, by: Self.renderer, marks: "m", fonts: needsFonts)
        #expect(try Self.isShown(wanted, by: Self.image(.annotated, by: Self.former, marks: "m", fonts: needsFonts)))
        #expect(try !Self.isShown(wanted, by: Self.image(.annotated, by: Self.former, marks: "former", fonts: needsFonts)), "that is stale")
        #expect(try !Self.isShown(wanted, by: Self.image(.plain, by: Self.renderer)))
    }
}
