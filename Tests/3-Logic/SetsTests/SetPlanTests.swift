import Model
import Sets
import TestSupport
import Testing

/// Plans made of what was found in folders.
@Suite(.timeLimit(.minutes(5)))
struct SetPlanTests {
    private func file(_ path: String) -> SetFile {
        SetFile(
            path: path, kind: SetFile.kind(ofName: path) ?? .pdf,
            stamp: FileStamp(device: 1, inode: 1, size: path.utf8.count, modified: 0))
    }

    private func assembly(_ files: [SetFile]) -> SetPlan {
        var assembly = SetPlan(SetSettings(["/m"]))
        assembly.titles.set(files)
        for file in files {
            assembly.read[file] = SHA256.digest(of: file.path)
        }
        return assembly
    }

    private func set(_ name: String, _ contents: FoundSet.Contents) throws -> FoundSet {
        guard case .set(let read) = SetName.read(name) else { throw Trouble("\(name) is no set") }
        return FoundSet(path: "/m/\(name)", name: read, contents)
    }

    private func contents(_ set: FoundSet, _ assembly: SetPlan) -> PlanContents {
        assembly.contents(of: set, as: SetPlan.plan(set, id: PlanID.ofSet("x")) { Timestamp(nanoseconds: $0) })
    }

    private func shown(_ contents: PlanContents) -> [String] {
        contents.items.map { item in
            "\(item.title)|\(item.keyName)|\(item.kind ?? "")|" + item.attachments.map(\.filename).joined(separator: ",")
        }
    }

    @Test func titlesAreThoseOfTheFilesThatAreThereNow() {
        let new = SetFile(path: "/m/b/Grace.pdf", kind: .pdf, stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4))
        var titles = ChartTitles()
        titles.set([file(new.path), file("/m/b/Abide.pdf")])
        titles.set([new, file("/m/b/Vision.pdf")])
        #expect(titles.find(SongTitle("Grace")) == .song([.file(new)]))
        #expect(titles.find(SongTitle("Abide")) == .none)
        #expect(titles.find(SongTitle("Vision")) == .song([.file(file("/m/b/Vision.pdf"))]))
    }

    @Test func theFilesOfAFolderAreItemsInTheOrderOfTheirNames() throws {
        let files = ["10 Abide.pdf", "2 Grace (G).pdf", "2 Grace (G).cho", "1 Vision.pdf"].map { file("/m/s/\($0)") }
        guard case .set(let name) = SetName.read("2026-11-29") else { return }
        let inner = [file("/m/s/3 Holy/violin.pdf"), file("/m/s/3 Holy/piano.pdf")]
        let set = FoundSet(path: "/m/s", name: name, files: files, folders: [("3 Holy", inner)])
        let contents = contents(set, assembly(files + inner))
        #expect(
            shown(contents) == [
                "Vision||song|1 Vision.pdf", "Grace|G|song|2 Grace (G).cho,2 Grace (G).pdf", "Holy||song|piano.pdf,violin.pdf",
                "Abide||song|10 Abide.pdf",
            ])
        #expect(contents.items[1].song != nil)
        #expect(contents.leftOut.isEmpty)
    }

    @Test(arguments: [("2026-11-29", true), ("2026-11-29 0000", false), ("2026-11-29 1030 Sunday", false)])
    func aSetWithoutATimeLastsAllDay(name: String, isAllDay: Bool) throws {
        #expect(contents(try set(name, .items([])), assembly([])).plan.isAllDay == isAllDay)
    }

    @Test func aTextThatIsNoSongIsLeftOut() throws {
        let files = ["Read me.txt", "Grace.txt", "Abide.pdf", "Abide.txt"].map { file("/m/s/\($0)") }
        #expect(files.map(\.mayBeNoSong) == [true, true, false, true])
        guard case .set(let name) = SetName.read("2026-11-29") else { return }
        var assembly = assembly(files)
        for other in [files[0], files[3]] {
            assembly.others.insert(other)
            (assembly.faults[other], assembly.read[other]) = ("it has no chords", nil)
        }
        let contents = contents(FoundSet(path: "/m/s", name: name, files: files, folders: []), assembly)
        #expect(contents.items.map(\.title) == ["Abide", "Grace"] && contents.leftOut.isEmpty)
        #expect(contents.attachments.map(\.filename) == ["Abide.pdf", "Grace.txt"] && contents.attachments[1].dialect == .any)
    }

    @Test func aChartOfASetThatCannotBeUsedIsMissed() throws {
        guard case .set(let name) = SetName.read("2026-11-29") else { return }
        let away = "it is a link to nothing"
        let names = ["s/Finale.pdf", "s/Abide.sync-conflict-20261127-101500-ABCDEFG.pdf", "s/order.txt", "s/notes.docx", "other/Grace.pdf"]
        let others = names.map { FoundSets.Other(path: "/m/\($0)", reason: away) }
        #expect(others.map(\.isCalledChart) == [true, false, false, false, true])
        var assembly = assembly([file("/m/s/Holy.pdf")])
        assembly.unusable = others.filter(\.isCalledChart)
        let contents = contents(FoundSet(path: "/m/s", name: name, files: [file("/m/s/Holy.pdf")], folders: []), assembly)
        #expect(contents.leftOut.map(\.filename) == ["Finale.pdf"] && contents.leftOut.map(\.reason) == [.noChart(because: away)])
    }

    @Test func aPictureIsAChartOfItsSong() throws {
        let files = ["Grace.JPG", "Grace.pdf", "Abide.jpeg", "Holy.png", "Vision.heic"].map { "/m/s/\($0)" }
        #expect(files.map(SetFile.kind(ofName:)) == [.picture, .pdf, .picture, .picture, nil])
        guard case .set(let name) = SetName.read("2026-11-29") else { return }
        let set = FoundSet(path: "/m/s", name: name, files: files.dropLast().map { file($0) }, folders: [])
        let contents = contents(set, assembly(set.files))
        #expect(shown(contents) == ["Abide||song|Abide.jpeg", "Grace||song|Grace.JPG,Grace.pdf", "Holy||song|Holy.png"])
        #expect(contents.attachments.map(\.contentType) == ["image/jpeg", "image/jpeg", "application/pdf", "image/png"])
        #expect(contents.attachments.map(\.displayName) == ["Abide", "Grace", "Grace", "Holy"])
        #expect(contents.items.allSatisfy { $0.song == nil })
    }

    @Test func aListNamesItsSongsByTitle() throws {
        let files = [
            "Amazing Grace.pdf", "Abide With Me (F).pdf", "Abide With Me (G).pdf", "Be Thou My Vision lead.pdf", "123 Holy Holy Holy.cho",
        ].map { file("/m/book/\($0)") }
        let text = "Amazing Grace (D)\nabide with me - G\nAbide With Me\nBe thou my vision\nHoly, holy, holy!\n\n# a remark\nUnknown"
        let contents = contents(try set("2026-11-29", .list(SetList(text))), assembly(files))
        #expect(
            shown(contents) == [
                "Amazing Grace|D|song|Amazing Grace.pdf", "abide with me|G|song|Abide With Me (G).pdf", "Abide With Me||song|",
                "Be thou my vision||song|Be Thou My Vision lead.pdf", "Holy, holy, holy!||song|123 Holy Holy Holy.cho", "Pause||header|",
                "a remark||item|", "Unknown||song|",
            ])
        #expect(
            contents.leftOut.map(\.reason) == [
                .noChart(because: "line 3: several charts may be meant: Abide With Me (F).pdf, Abide With Me (G).pdf"),
                .noChart(because: "line 8: no chart here has this title"),
            ])
    }

    @Test func aSongIsDrawnBehindTheCapoOfItsLine() throws {
        let list = try set("2026-11-29", .list(SetList("Grace - D, capo 2\nHoly\nGrace (capo 0)")))
        let contents = contents(list, assembly([file("/m/book/Grace.cho"), file("/m/book/Holy.cho")]))
        #expect(contents.items.map(\.capo) == [2, nil, 0] && contents.items.map(\.description) == ["Capo 2", nil, "No capo"])
        let views = [SongView(key: "D", capo: 2, writing: .letters), SongView(writing: .letters), SongView(writing: .letters)]
        #expect(contents.items.map { $0.attachments.first?.origin?.view } == views)
        #expect(contents.undrawn == contents && contents.drawing([:]) == contents, "a look at the same list changes nothing")
    }

    @Test func theCapoOfSomebodyElsesSetIsOnlySaid() throws {
        let list = try set("2026-11-29", .list(SetList("Grace - D, capo 2")))
        let assembly = assembly([file("/m/book/Grace.cho")])
        let shared = SharedSet(contents(list, assembly), name: list.name) { _ in nil }
        #expect(shared.items.map(\.title.capo) == [2], "it is passed on")
        let theirs = assembly.contents(of: shared, by: "Anna", as: contents(list, assembly).plan, charts: [:])
        #expect(theirs.items.map(\.description) == ["Capo 2"])
        #expect(theirs.attachments.map { $0.origin?.view } == [SongView(key: "D", writing: .letters)])
    }

    @Test(arguments: [
        ("Amazing Grace x2", "Amazing Grace x2||song|Amazing Grace.pdf"),
        ("Amazing Grace (G) – 2x", "Amazing Grace 2x|G|song|Amazing Grace.pdf"),
        ("Amazing Grace.pdf", "Amazing Grace||song|Amazing Grace.pdf"), ("03 Amazing Grace.PDF", "Amazing Grace||song|Amazing Grace.pdf"),
        ("3 Amazing Grace", "Amazing Grace||song|Amazing Grace.pdf"), ("Amazing Grace Am", "Amazing Grace|Am|song|Amazing Grace.pdf"),
        ("Amazing Grace Bb capo 1", "Amazing Grace|Bb|song|Amazing Grace.pdf"), ("Part 2", "Part 2||song|Part 2.cho"),
        // These may be other songs.
        ("Amazing G", "Amazing G||song|"), ("Part 3", "Part 3||song|"), ("x2", "x2||song|"),
    ])
    func whatPeopleWriteBesideATitleIsNoPartOfItIfNoChartHasIt(line: String, item: String) throws {
        let files = ["Amazing Grace.pdf", "Part 2.cho"].map { file("/m/book/\($0)") }
        #expect(shown(contents(try set("2026-11-29", .list(SetList(line))), assembly(files))) == [item])
    }

    @Test func copiesOfAChartAreOneChart() throws {
        let files = ["2026-11-08/1 Grace.pdf", "2026-11-15/3 Grace.pdf", "2026-11-15/Vision.pdf", "2026-11-22/Vision.pdf"].map {
            file("/m/\($0)")
        }
        let list = try set("2026-11-29", .list(SetList("Grace\nVision")))
        var assembly = assembly(files)
        assembly.read = [:]
        #expect(Set(assembly.files(of: list)) == Set(files), "only their bytes tell")
        for file in files { assembly.read[file] = SHA256.digest(of: file.name.hasSuffix("Grace.pdf") ? "the same" : file.path) }
        let contents = contents(list, assembly)
        #expect(shown(contents) == ["Grace||song|1 Grace.pdf", "Vision||song|"])
        #expect(
            contents.leftOut.map(\.reason) == [
                .noChart(because: "line 2: several charts may be meant: 2026-11-15/Vision.pdf, 2026-11-22/Vision.pdf")
            ])
    }

    @Test func aSongbookCountsBeforeTheChartsOfSets() throws {
        let files = ["2026-11-15/Grace.pdf", "2026-11-22/2 Grace/piano.pdf", "Book/Grace.pdf"].map { file("/m/\($0)") }
        let contents = contents(try set("2026-11-29", .list(SetList("grace"))), assembly(files))
        #expect(contents.attachments.map(\.id.bytes) == [SHA256.digest(of: "/m/Book/Grace.pdf")])
    }

    @Test func aChartIsKnownByItsBytes() throws {
        let (one, moved) = (file("/m/a/Grace.pdf"), file("/m/b/01 Grace.pdf"))
        var assembly = SetPlan(SetSettings(["/m"]))
        for file in [one, moved] { assembly.read[file] = SHA256.digest(of: "the same") }
        let plans = try [one, moved].map { contents(try set("2026-11-29", .items([[$0]])), assembly) }
        #expect(plans[0].attachments.map(\.id) == plans[1].attachments.map(\.id))
        #expect(plans[0].attachments.first?.id.bytes == SHA256.digest(of: "the same"))
    }

    @Test func aFileThatCannotBeUsedIsNamed() throws {
        let (whole, broken, growing) = (file("/m/a.pdf"), file("/m/b.pdf"), file("/m/c.pdf"))
        var assembly = assembly([whole])
        assembly.faults[broken] = "it cannot be opened"
        let contents = contents(try set("2026-11-29", .items([[whole], [broken], [growing]])), assembly)
        #expect(contents.attachments.map(\.filename) == ["a.pdf"])
        #expect(
            contents.leftOut.map(\.reason) == [
                .noChart(because: "it cannot be opened"), .noChart(because: "it is still being written"),
            ])
    }

    @Test func aSetWithoutATimeLastsAllDay() throws {
        let all = SetPlan.plan(try set("2026-11-29", .items([])), id: PlanID.ofSet("x")) { Timestamp(nanoseconds: $0) }
        let timed = SetPlan.plan(try set("2026-11-29 1030 Advent", .items([])), id: PlanID.ofSet("y")) { Timestamp(nanoseconds: $0) }
        #expect(all.lastTime.map { $0 - all.firstTime! } == .seconds(86_340))
        #expect(timed.firstTime.map { $0 - all.firstTime! } == .seconds(37_800))
        #expect(timed.lastTime == timed.firstTime, "a plan without an end would be to come for ever")
        #expect((all.displayName, timed.displayName, timed.dates) == ("Set", "Advent", "29 November 2026"))
    }
}
