import BandLayout
import Catalogue
import Glibc
import Library
import Model
import Platform
import Rendering
import Sets
import TestSupport
import Testing

@testable import Sync

/// Plans from the musician's own folders, with real files and without an account.
@Suite(.onLoop) struct SetKeeperTests {
    /// A folder of sets, and what reads it.
    @LoopActor
    final class Band {
        let folder = TemporaryFolder()
        var stage: Stage
        /// What a device of the band sends of any chart.
        var sent: [UInt8]?
        var music: String { folder.path("Sets") }

        init(_ stage: Stage) throws {
            self.stage = stage
            try Folder.create(folder.path("Sets"))
        }

        /// `other` is a second folder of sets.
        init(hasAccount: Bool = false, and other: String? = nil) throws {
            let folder = self.folder
            let roots = (["Sets"] + (other.map { [$0] } ?? [])).map { folder.path($0) }
            for root in roots { try Folder.create(root) }
            stage = try Stage(hasAccount ? Stage.plans : [], in: folder, sets: SetSettings(roots), hasAccount: hasAccount)
        }

        /// Starts again, with the same library and folder.
        func restart(side: SideThread = SideThread(inline: true)) async throws {
            try await stage.stop()
            stage = try Stage([], in: folder, sets: SetSettings([music]), hasAccount: false, side: side)
        }

        func write(_ path: String, _ text: String) throws {
            let whole = music + "/" + path
            try Folder.create(Folder.parent(of: whole))
            try AtomicFile.write(text, to: whole)
        }

        /// A file that begins and ends like a JPEG.
        func jpeg(_ path: String, _ text: String) throws {
            try write(path, "")
            try Self.jpeg(text).withUnsafeBytes { try AtomicFile.write($0, to: music + "/" + path) }
        }

        static func jpeg(_ text: String) -> [UInt8] {
            var bytes: [UInt8] = [0xFF, 0xD8, 0xFF]
            bytes += Array(text.utf8)
            bytes += [0xFF, 0xD9]
            return bytes
        }

        func pdf(_ path: String, _ text: String? = nil) throws { try write(path, SmallService.pdf(text ?? path)) }

        func move(_ path: String, to other: String) throws {
            guard rename(music + "/" + path, music + "/" + other) == 0 else { throw SystemError("move", path: path) }
        }

        func remove(_ path: String) throws {
            guard unlink(music + "/" + path) == 0 || rmdir(music + "/" + path) == 0 else { throw SystemError("remove", path: path) }
        }

        /// Each plan with its items and their charts; an asterisk marks a chart that is not here.
        func shown() throws -> [String] {
            try stage.library.plans.all().map { plan in
                let items = try plan.items.map { item in
                    let charts = try item.attachments.map { chart in
                        let isHere =
                            try stage.library.charts.chart(of: chart.use).map { try stage.library.charts.hasBytes(of: $0.hash) } ?? false
                        return chart.filename + (isHere ? "" : "*")
                    }
                    return item.title + (charts.isEmpty ? "" : ": ") + charts.joined(separator: "+")
                }
                return "\(plan.plan.displayName) \(plan.plan.dates) [" + items.joined(separator: "; ") + "]"
            }
        }
    }

    /// Only the process that draws knows whether a text is a song.
    @Test @LoopActor func aTextIsASongIfItCanBeDrawn() async throws {
        let band = try Band()
        band.stage.songs.remarks = { job throws(RenderFailure) in
            guard job.sheet.song.text.contains("[") else { throw .drawing("it has no chords") }
            return []
        }
        try band.write("2026-11-22/Grace.txt", "[G]Amazing [C]grace")
        try band.write("2026-11-22/Read me.txt", "Bring the capo.")
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.txt]"])
        #expect(band.stage.songs.songs.allSatisfy { $0.sheet.song.dialect == .any })
        #expect(band.stage.polls.sets?.others == [.init(path: band.music + "/2026-11-22/Read me.txt", reason: "it has no chords")])
        try band.write("2026-11-22/Read me.txt", "[D]And [A]now")
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.txt; Read me: Read me.txt]"])
        #expect(band.stage.polls.sets?.others == [])
    }

    @Test @LoopActor func foldersAndListsThatAreNamedAfterDatesArePlans() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 1030 Sunday/01 Grace.pdf")
        try band.pdf("2026-11-22 1030 Sunday/02 Abide.pdf")
        try band.write("2026-11-29 Advent.txt", "Vision (D)\nUnknown\n")
        try band.pdf("Songbook/Vision.pdf")
        try band.pdf("2026-12-31 Too far/Late.pdf")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(
            try band.shown() == [
                "Sunday 22 November 2026 [Grace: 01 Grace.pdf; Abide: 02 Abide.pdf]",
                "Advent 29 November 2026 [Vision: Vision.pdf; Unknown]",
            ])
        #expect(try band.stage.library.lastPoll != nil)
        #expect(band.stage.service.network.requests.isEmpty)
    }

    @Test @LoopActor func wordsAndChordsAreDrawnInTheKeyAndBehindTheCapoOfTheList() async throws {
        let band = try Band()
        try band.write("Songbook/Grace.cho", "{title: Grace}\n{key: G}\n[G]Amazing")
        try band.write("2026-11-22.txt", "Grace (A, capo 2)")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.cho]"])
        #expect(band.stage.songs.songs.map(\.sheet.view) == [SongView(key: "A", capo: 2, writing: .letters)])
        let changes = try band.stage.library.plans.planChanges()
        band.stage.clock.skip(.seconds(60))
        await band.stage.sync()
        #expect(try band.stage.library.plans.planChanges() == changes, "the capo is kept with the item")
        // The list's way is one that can be chosen against the choice for all plans.
        let plans = band.stage.library.plans
        let plan = try #require(try plans.all().first)
        let song = try #require(plan.items.first?.song?.id)
        func capo(_ view: SongView?, isEverywhere: Bool = false) throws -> Int? {
            try plans.read(song, as: view, in: plan.plan.id, isEverywhere: isEverywhere, at: band.stage.clock.timestamp)
            return try plans.plan(plan.plan.id)?.attachments.first?.origin?.view.capo
        }
        #expect(try capo(SongView(capo: 4), isEverywhere: true) == 4)
        #expect(try capo(nil) == 2)
        #expect(try capo(SongView()) == 0)
        // Another capo in the list counts once nothing is chosen any more.
        #expect(try capo(nil, isEverywhere: true) == 2)
        try band.write("2026-11-22.txt", "Grace (A, capo 5)")
        await band.stage.sync()
        #expect(band.stage.songs.songs.last?.sheet.view.capo == 5)
    }

    @Test @LoopActor func aPhotographBecomesAPDFThatStaysTheSame() async throws {
        let band = try Band()
        try band.jpeg("2026-11-22/Grace.jpg", "first")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.jpg]"])
        let charts = band.stage.library.charts
        let attachment = try #require(try band.stage.library.plans.all().first?.attachments.first)
        #expect(attachment.id.bytes == SHA256.digest(of: try AtomicFile.read(band.music + "/2026-11-22/Grace.jpg", limit: 100)))
        let chart = try #require(try charts.chart(of: attachment.use)?.hash)
        #expect(try AtomicFile.read(charts.path(of: chart), limit: 1000).starts(with: Array("%PDF-".utf8)))
        // Neither another look nor another name makes it again.
        let count = band.stage.songs.pictures.count
        await band.stage.sync()
        try band.move("2026-11-22/Grace.jpg", to: "2026-11-22/Amazing.jpg")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Amazing: Amazing.jpg]"])
        #expect(band.stage.songs.pictures.count == count)
        // If its bytes are lost, the same bytes come back.
        #expect(unlink(charts.path(of: chart)) == 0)
        await band.stage.sync()
        #expect(try charts.chart(of: attachment.use)?.hash == chart && charts.hasBytes(of: chart))
    }

    @Test @LoopActor func aPictureThatCannotBeShownTakesNoPlace() async throws {
        let band = try Band()
        try band.jpeg("2026-11-22/Grace.jpg", "first")
        try band.write("2026-11-22/Holy.png", "<html>IEND")
        await band.stage.sync()
        band.stage.songs.refusal = { _ in .drawing("it is damaged") }
        try band.jpeg("2026-11-22/Grace.jpg", "second")
        try band.jpeg("2026-11-22/Vision.jpg", "third")
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Grace: Grace.jpg; Holy; Vision]"])
        let plan = try #require(try band.stage.library.plans.all().first)
        #expect(plan.attachments.map(\.id.bytes) == [SHA256.digest(of: Band.jpeg("first"))])
        #expect(plan.leftOut.map(\.filename) == ["Holy.png", "Vision.jpg"])
        #expect(plan.leftOut.last?.reason == .noChart(because: "the page cannot be drawn (it is damaged)"))
    }

    @Test @LoopActor func anEventIsAboutItsFolderAndAPollAboutAll() async throws {
        let band = try Band()
        try band.pdf("Book/Grace.pdf")
        try band.write("2026-11-22.txt", "Grace\n")
        await band.stage.sync()
        let (keeper, former) = (try #require(band.stage.polls.sets), try band.shown())
        func charts() throws -> [Digest?] { try band.stage.library.plans.all().flatMap(\.attachments).map(\.id.bytes) }
        let before = try charts()
        // Written to where it is, and nobody says so.
        let other = SmallService.pdf("another one")
        let file = try Descriptor.open(band.music + "/Book/Grace.pdf", O_WRONLY | O_TRUNC)
        #expect(write(file.number, other, other.utf8.count) == other.utf8.count)
        try band.pdf("2026-11-29/Vision.pdf")
        await band.stage.clock.run { [band] in
            keeper.follow(.written(band.music + "/2026-11-29/Vision.pdf"))
            await keeper.quiet()
        }
        #expect(try band.shown() == former + ["Set 29 November 2026 [Vision: Vision.pdf]"])
        #expect(try Array(charts().prefix(1)) == before, "the songbook is not listed for that")
        await band.stage.sync()
        #expect(try charts().first == SHA256.digest(of: other))
    }

    @Test @LoopActor func aPollTellsWhatChangedInFolders() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.clock.run { await band.stage.polls.sets?.lookNow() }
        let plan = try #require(try band.stage.library.plans.all().first?.plan)
        #expect(await band.stage.sync().changes == [.planAdded(.init(plan))], "though it was found before")
        #expect(await band.stage.sync().changes == [])
    }

    @Test @LoopActor func aChartThatWasSavedOverComesBack() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.sync()
        let bytes = Array(SmallService.pdf("2026-11-22/Grace.pdf").utf8)
        let path = band.stage.library.charts.path(of: ChartHash(SHA256.digest(of: bytes)))
        try AtomicFile.write(String(repeating: "x", count: bytes.count), to: path)
        await band.stage.sync()
        #expect(try AtomicFile.read(path, limit: 1 << 16) == bytes)
    }

    /// Whether a file that a renderer is given to open is a copy of the PDF with this text: it has the name of what is in it.
    private static func isCopy(_ path: String, of text: String) -> Bool {
        path.contains(SHA256.digest(of: SmallService.pdf(text)).hex)
    }

    @Test @LoopActor func theNextSetsChartsAreHereBeforeLaterOnesAreRead() async throws {
        let band = try Band()
        try band.pdf("2026-11-29 Later/Huge.pdf", "huge")
        try band.write("2026-11-22 Next.txt", "Vision")
        try band.pdf("Book/Vision.pdf", "next")
        let next = band.stage.library.charts.path(of: ChartHash(SHA256.digest(of: SmallService.pdf("next"))))
        var isNextHere: Bool?
        band.stage.renderer.describe = { path in
            if Self.isCopy(path, of: "huge") { isNextHere = isNextHere ?? (access(next, F_OK) == 0) }
            return .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792)]))
        }
        #expect(await band.stage.sync().setbacks == [])
        #expect(isNextHere == true)
        #expect(
            try band.shown() == ["Next 22 November 2026 [Vision: Vision.pdf]", "Later 29 November 2026 [Huge: Huge.pdf]"])
        let changes = band.stage.library.database.totalChanges
        await band.stage.clock.run { await band.stage.polls.sets?.lookNow() }
        #expect(band.stage.library.database.totalChanges == changes)
    }

    @Test @LoopActor func setsInAnotherPlaceAreThePlansThatTheyWere() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 Sunday/Grace.pdf")
        try band.pdf("2026-11-25/Vision.pdf")
        await band.stage.sync()
        try band.move("2026-11-22 Sunday", to: "2026-11-29 Advent")
        await band.stage.sync()
        let plans = try band.stage.library.plans.all().map(\.plan.id)
        let place = band.folder.path("Elsewhere")
        try await band.stage.stop()
        guard rename(band.music, place) == 0 else { throw SystemError("move") }
        band.stage = try Stage([], in: band.folder, sets: SetSettings([place]), hasAccount: false)
        #expect(await band.stage.sync().setbacks == [])
        #expect(try band.stage.library.plans.all().map(\.plan.id) == plans)
        #expect(try Set(band.stage.library.sets.known().keys) == [place + "/2026-11-25", place + "/2026-11-29 Advent"])
    }

    @Test @LoopActor func unchangedFilesAreReadOnce() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.sync()
        let described = band.stage.renderer.described.count
        let changes = band.stage.library.database.totalChanges
        await band.stage.sync(PollScope(isRequested: false))
        #expect(band.stage.renderer.described.count == described)
        #expect(band.stage.library.database.totalChanges == changes, "a look that finds nothing writes nothing")
    }

    @Test @LoopActor func aSetThatIsRenamedStaysThePlanThatItWas() async throws {
        let band = try Band()
        try band.pdf("2026-11-22 Sunday/Grace.pdf")
        await band.stage.sync()
        let plan = try #require(try band.stage.library.plans.all().first?.plan.id)
        try band.stage.library.plans.pin(plan)
        try band.move("2026-11-22 Sunday", to: "2026-11-29 Advent")
        await band.stage.sync()
        #expect(try band.shown() == ["Advent 29 November 2026 [Grace: Grace.pdf]"])
        #expect(try band.stage.library.plans.pinned() == [plan])
        // A program that syncs folders makes a new folder and removes the old one.
        try band.pdf("2026-12-06 Advent/Grace.pdf", "2026-11-22 Sunday/Grace.pdf")
        try band.remove("2026-11-29 Advent/Grace.pdf")
        try band.remove("2026-11-29 Advent")
        await band.stage.sync()
        #expect(try band.shown() == ["Advent 6 December 2026 [Grace: Grace.pdf]"])
        #expect(try band.stage.library.plans.pinned() == [plan])
    }

    @Test @LoopActor func aFolderThatIsAwayChangesNothing() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf")
        await band.stage.sync()
        let before = try band.shown()
        guard rename(band.music, band.folder.path("elsewhere")) == 0 else { throw SystemError("move") }
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks.map(\.subject) == [band.music])
        #expect(try band.shown() == before)
        #expect(try band.stage.library.plans.gone().isEmpty)
    }

    @Test @LoopActor func setsThatAreGoneAllAtOnceAreDoubted() async throws {
        let band = try Band()
        for day in ["22", "23", "24", "25"] { try band.pdf("2026-11-\(day)/Grace \(day).pdf") }
        await band.stage.sync()
        for day in ["22", "23", "24", "25"] {
            try band.remove("2026-11-\(day)/Grace \(day).pdf")
            try band.remove("2026-11-\(day)")
        }
        await band.stage.sync()
        #expect(try band.stage.library.plans.gone().isEmpty, "an empty folder may be a disk that is not mounted")
        await band.stage.wait(for: .seconds(3601))
        await band.stage.sync()
        #expect(try band.stage.library.plans.gone().count == 4)
    }

    @Test @LoopActor func aFileThatIsStillBeingWrittenTakesNoPlace() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf", "first")
        await band.stage.sync()
        let former = try #require(try band.stage.library.plans.all().first?.attachments.first)
        // The date is that of the simulated clock, so that the file was written just now.
        let path = band.music + "/2026-11-22/Grace.pdf"
        try AtomicFile.write("%PDF-1.7 half", to: path)
        var times = [timespec](repeating: timespec(tv_sec: Int(band.stage.clock.wallTime.components.seconds), tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        await band.stage.clock.run { await band.stage.polls.sets?.lookNow() }
        #expect(try band.stage.library.plans.all().first?.attachments == [former])
        #expect(band.stage.polls.sets?.isQuiet == false, "it is read again soon")
        try band.pdf("2026-11-22/Grace.pdf", "second")
        await band.stage.wait(for: .seconds(1))
        #expect(
            try band.stage.library.plans.all().first?.attachments.first?.id
                == AttachmentID(ofBytes: SHA256.digest(of: SmallService.pdf("second"))))
    }

    @Test @LoopActor func aNewVersionThatCannotBeOpenedIsNotUsed() async throws {
        let band = try Band()
        try band.pdf("2026-11-22/Grace.pdf", "first")
        try band.pdf("2026-11-22/Abide.pdf", "bad")
        band.stage.renderer.describe = { path in
            Self.isCopy(path, of: "bad") || Self.isCopy(path, of: "bad, too")
                ? .failure(.cannotOpen("no pages")) : .success(ChartDescription(pages: [PageGeometry(width: 612, height: 792)]))
        }
        await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Abide; Grace: Grace.pdf]"])
        #expect(try band.stage.library.plans.all().first?.leftOut.map(\.filename) == ["Abide.pdf"])
        try band.pdf("2026-11-22/Grace.pdf", "bad, too")
        let outcome = await band.stage.sync()
        #expect(try band.shown() == ["Set 22 November 2026 [Abide; Grace: Grace.pdf]"])
        #expect(outcome.setbacks.map(\.subject) == ["Abide.pdf", "Grace.pdf"])
    }

    @Test @LoopActor func aListThatIsMadeInABrowserIsAPlanWithTheNextLook() async throws {
        let band = try Band()
        for title in ["Grace", "Abide", "Vision"] { try band.pdf("Songbook/\(title).pdf") }
        await band.stage.sync()
        let keeper = try #require(band.stage.polls.sets)
        let song = { @Sendable (title: String) in SetList.Line.song(SongTitle(title: title, key: nil, capo: nil)) }
        func write(_ place: SetDraft.Place, _ titles: String...) async throws -> SetDraft.Outcome {
            try await band.stage.clock.run {
                let outcome = try await keeper.write(SetDraft(place, titles.map(song)))
                await keeper.lookNow()
                return outcome
            }
        }
        let made = try await write(.new(day: "2026-11-22", time: nil, title: "Sunday"), "Grace", "Abide", "Vision")
        #expect(made == .written(name: "2026-11-22 Sunday", isListed: true))
        #expect(try band.shown() == ["Sunday 22 November 2026 [Grace: Grace.pdf; Abide: Abide.pdf; Vision: Vision.pdf]"])
        let plan = try #require(try band.stage.library.plans.all().first?.plan.id)
        #expect(keeper.isList(plan) && !keeper.isList(PlanID("1")))
        let read = try await keeper.list(of: plan)
        _ = try await write(.plan(plan, of: read.digest), "Abide")
        #expect(try band.shown() == ["Sunday 22 November 2026 [Abide: Abide.pdf]"], "who saved it need not accept it, too")
        #expect(try band.stage.library.plans.all().map(\.plan.id) == [plan], "it stays the same plan")
        guard case .changed(let present) = try await write(.plan(plan, of: read.digest), "Grace") else {
            Issue.record("it was written over")
            return
        }
        #expect(present.list.entries.map(\.line) == [song("Abide")])
        let late = try await write(.new(day: "2027-11-22", time: nil, title: ""), "Grace")
        #expect(late == .written(name: "2027-11-22", isListed: false), "people are told that it is not shown yet")
        await #expect(throws: Trouble.self) { try await write(.new(day: "2026-11-22", time: nil, title: "")) }
    }

    @Test @LoopActor func plansOfTheServiceAndOfFoldersLiveBesideEachOther() async throws {
        let band = try Band(hasAccount: true)
        try band.pdf("2026-11-25/Grace.pdf")
        try band.write("2026-11-26.txt", "Song 1")
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(
            try band.stage.library.plans.all().map(\.plan.id.text) == ["1", "set/2026-11-25", "set/2026-11-26.txt", "2"])
        #expect(try band.stage.library.plans.plan(PlanID("set/2026-11-26.txt"))?.attachments.map(\.id.text) == ["1a"])
        band.stage.service.plans = [Stage.plans[1]]
        try band.remove("2026-11-26.txt")
        await band.stage.sync()
        #expect(Set(try band.stage.library.plans.gone().keys.map(\.text)) == ["1", "set/2026-11-26.txt"])
    }

    // MARK: - Sets of others in the band

    /// Has Anna share a set with these charts; `sent` are those whose files she shares.
    @LoopActor private func share(_ names: [String], sent: Set<String> = [], counter: Int = 1, in band: Band) throws {
        let charts = names.map { name in
            let bytes = Array(SmallService.pdf(name).utf8)
            return SharedSet.Chart(name: name, bytes: SHA256.digest(of: bytes), size: bytes.count, isSent: sent.contains(name))
        }
        let items = charts.map { SharedSet.Item(.song, SongTitle(ofFile: $0.name), charts: [$0]) }
        let set = SharedSet(name: try #require(SharedSet.name("2026-11-22 1030 Advent")), items: items)
        var head = BandHead(device: BandDevice("aaaaaaaaaaaaaaaa"), counter: counter, person: "Anna", name: "laptop")
        head.sets = [
            .init(
                id: "s1", object: SHA256.digest(of: set.bytes), length: set.bytes.count,
                files: set.sent.map { .init(object: $0.key, length: $0.value) })
        ]
        let library = band.stage.library
        let (read, sum) = try BandHead.read(head.bytes)
        _ = try library.band.adopt(read, sum: sum, at: Samples.monday)
        for named in try library.band.missingSets() { try library.band.keep(set, as: named) }
    }

    @Test @LoopActor func whatSomebodySharesIsAPlanWithTheChartsThatAreHere() async throws {
        let band = try Band()
        try band.pdf("Songbook/Abide With Me.pdf")
        try band.pdf("2026-11-25/Other name.pdf", "Vision.pdf")
        await band.stage.sync()
        try share(["Grace.pdf", "Abide with me.pdf", "Vision.pdf"], in: band)
        await band.stage.sync()
        #expect(
            try band.shown() == [
                "Advent (Anna) 22 November 2026 [Grace; Abide with me: Abide With Me.pdf; Vision: Other name.pdf]",
                "Set 25 November 2026 [Other name: Other name.pdf]",
            ])
        let plan = try #require(try band.stage.library.plans.all().first)
        #expect(plan.plan.id.bandDevice == BandDevice("aaaaaaaaaaaaaaaa") && plan.plan.serviceTypeName == "Set by Anna")
        #expect(plan.leftOut.map(\.reason) == [.noChart(because: "Grace.pdf is not here; Anna has it")])
    }

    @Test @LoopActor func aChartInASongbookIsFoundByItsBytesThoughNobodyOpenedIt() async throws {
        let band = try Band()
        try band.pdf("Songbook/Grace.pdf", "mine!")
        try band.pdf("Songbook/Something else.pdf", "Grace.pdf")
        try share(["Grace.pdf"], in: band)
        await band.stage.sync()
        #expect(try band.shown() == ["Advent (Anna) 22 November 2026 [Grace: Something else.pdf]"])
        #expect(band.stage.renderer.described.count == 1, "what has other bytes by its size is not read")
    }

    @Test @LoopActor func withoutFoldersOfOnesOwnTheSetsOfOthersArePlans() async throws {
        let stage = try Stage(Stage.plans, sets: SetSettings([]))
        let band = try Band(stage)
        try share(["Grace.pdf"], in: band)
        await stage.sync()
        #expect(try stage.library.plans.all().map(\.plan.displayName).contains("Advent (Anna)"))
    }

    @Test @LoopActor func aChartThatIsSharedIsTakenWhenItsBytesAreRight() async throws {
        let band = try Band()
        try share(["Grace.pdf"], sent: ["Grace.pdf"], in: band)
        band.stage.polls.sets?.fetchShared = { [weak band] _, _, _ in band?.sent }
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(try band.shown() == ["Advent (Anna) 22 November 2026 [Grace: Grace.pdf*]"])
        #expect(band.stage.polls.sets?.lacksShared == true)
        band.sent = Array(SmallService.pdf("another").utf8)
        await band.stage.sync()
        #expect(try band.shown() == ["Advent (Anna) 22 November 2026 [Grace: Grace.pdf*]"], "these are not the bytes that the set names")
        band.sent = Array(SmallService.pdf("Grace.pdf").utf8)
        await band.stage.sync()
        #expect(try band.shown() == ["Advent (Anna) 22 November 2026 [Grace: Grace.pdf]"])
        #expect(band.stage.polls.sets?.lacksShared == false)
        // What is here stays when its file is shared no longer.
        try share(["Grace.pdf"], counter: 2, in: band)
        await band.stage.sync()
        #expect(try band.shown() == ["Advent (Anna) 22 November 2026 [Grace: Grace.pdf]"])
    }

    @Test @LoopActor func aSetThatIsSharedNoLongerIsGoneAndNoDoubtFallsOnOwnOnes() async throws {
        let band = try Band()
        try band.pdf("2026-11-25/Grace.pdf")
        try share(["Grace.pdf"], in: band)
        await band.stage.sync()
        let head = BandHead(device: BandDevice("aaaaaaaaaaaaaaaa"), counter: 2, person: "Anna", name: "laptop")
        let (read, sum) = try BandHead.read(head.bytes)
        _ = try band.stage.library.band.adopt(read, sum: sum, at: Samples.monday)
        #expect(try band.stage.library.band.removeUnsharedSets())
        let outcome = await band.stage.sync()
        #expect(outcome.setbacks == [])
        #expect(Set(try band.stage.library.plans.gone().keys) == [.ofBand(BandDevice("aaaaaaaaaaaaaaaa"), "s1")])
        #expect(try band.stage.library.plans.all().count == 2, "it is kept until it is past")
    }
}
