import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct MarkHistoryTests {
    private let home = TemporaryFolder()
    private let a = AttachmentID("a")

    private func file(_ path: String, for chart: AttachmentID, _ points: some Sequence<Int>) throws -> WrittenFile {
        var file = Samples.localFile(path, for: chart, marks: [])
        file.content?.marks = points.map {
            Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: Double($0) / 100, y: 0.5)])
        }
        return try WrittenFile(file)
    }

    @LoopActor private func store(
        _ points: some Sequence<Int>, _ library: Library, as path: String = "/music/Grace.xopp", forgetting: [String] = [],
        states: Int = 20, at time: Timestamp = Samples.monday
    ) throws {
        let history = MarkHistory(states: states, now: time)
        try library.markFiles.store(written: [file(path, for: a, points)], forgetting: forgetting, history: history)
    }

    /// A layer's file accounts for the marks that were changed or deleted in it (`accountedFor`), so these marks have not vanished.
    @Test @LoopActor func whatAFileSaysWasDeletedHasNotVanished() throws {
        let library = try Library(folder: home.path)
        func store(_ ids: [String], accountedFor: Set<String> = []) throws {
            var file = Samples.localFile("/music/Grace.marks.json", for: a, marks: [])
            file.content?.marks = ids.enumerated().map { number, id in
                Mark(id: id, page: PageIndex(0), kind: .pen, points: [Mark.Point(x: Double(id.utf8.count) / 100, y: Double(number) / 10)])
            }
            file.content?.accountedFor = accountedFor
            try library.markFiles.store(written: [WrittenFile(file)], history: MarkHistory(now: Samples.monday))
        }
        try store(["a", "bb", "ccc"])
        try store(["a"], accountedFor: ["bb", "ccc"])
        #expect(try library.markFiles.history(of: a).isEmpty && library.journal.entries().isEmpty)
        try store([], accountedFor: ["bb"])
        #expect(try library.markFiles.history(of: a).map(\.missing) == [1], "nothing says where that one is")
    }

    @LoopActor private func store(texts: [(id: String, text: String)], _ library: Library, as path: String, at second: Int = 0) throws {
        var file = Samples.localFile(path, for: a, marks: [])
        file.content?.marks = texts.map { id, text in
            Mark(
                id: id, page: PageIndex(0), kind: .text, points: [Mark.Point(x: 0.1, y: 0.5)], text: "\(id) \(text)",
                setting: Mark.Setting(size: 0.02))
        }
        let history = MarkHistory(now: Samples.monday + .seconds(second))
        try library.markFiles.store(written: [WrittenFile(file)], history: history)
    }

    /// Somebody rewrites one text many times. Xournal++ does not say that it is the same text, but one mark is never many.
    @Test(arguments: ["/music/Grace.marks.json", "/music/Grace.xopp"])
    @LoopActor func aMarkThatIsChangedAgainAndAgainIsNoLossOfManyMarks(path: String) throws {
        let library = try Library(folder: home.path)
        for number in 0...40 { try store(texts: [("t1", "\(number)")], library, as: path, at: number) }
        let isNative = path.hasSuffix(".marks.json")
        let told = try library.markFiles.vanishedMarks()[a] ?? []
        #expect(told.map(\.marks) == (isNative ? [] : [1]) && !told.contains(where: \.isOfMany))
        #expect(try library.journal.entries().isEmpty == isNative)
        let states = try library.markFiles.history(of: a)
        #expect(states.count == 20)
        #expect(states.map(\.marks).max() == (isNative ? 1 : 21), "what one id drew before is no mark of its own")
        let first = try #require(states.first)
        #expect(try library.markFiles.missingMarks(of: first.number, on: a)?.marks.map(\.text) == ["t1 39"])
    }

    @Test @LoopActor func ofMarksThatWereErasedAndChangedOnlyTheErasedOnesAreMissing() throws {
        let library = try Library(folder: home.path)
        let path = "/music/Grace.marks.json"
        let ids = (1...24).map { "t\($0)" }
        try store(texts: ids.map { ($0, "one") }, library, as: path)
        try store(texts: ids.dropFirst().map { ($0, "one") }, library, as: path)
        try store(texts: ids.dropFirst().map { ($0, "two") }, library, as: path)
        #expect(try library.markFiles.vanishedMarks().isEmpty)
        #expect(try library.journal.entries().map { $0.change.sentence.hasPrefix("1 mark vanished") } == [true])
        let number = try #require(try library.markFiles.history(of: a).last?.number)
        #expect(try library.markFiles.missingMarks(of: number, on: a)?.marks.map(\.id) == ["t1"])
        try store(texts: ids.suffix(2).map { ($0, "two") }, library, as: path)
        for number in 0...30 { try store(texts: ids.suffix(2).map { ($0, "\(number)") }, library, as: path) }
        let told = try library.markFiles.vanishedMarks()[a] ?? []
        #expect(told.map(\.missing) == [22] && told.allSatisfy(\.isOfMany), "changes do not push the loss out")
    }

    /// Marks can vanish if, for example, a program saves changes to an older version of the file.
    @Test @LoopActor func whatVanishedIsMissingUntilItIsDrawnAgainOrAccepted() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [Samples.attachment("a")])], at: Samples.monday)
        try store(0..<30, library)
        try store(0..<3, library)
        try store([], library)
        func asked() throws -> [Int] { try (library.markFiles.vanishedMarks()[a] ?? []).filter(\.isOfMany).map(\.missing) }
        #expect(try library.markFiles.history(of: a).map(\.missing) == [3, 30])
        #expect(try asked() == [30])
        #expect(
            try library.journal.entries().last?.change.sentence
                == "3 marks vanished from Grace.xopp: kept; 'woodshed layers a --history' lists what it had")
        try store(0..<29, library, as: "/music/another.xopp")
        #expect(try library.markFiles.history(of: a).map(\.missing) == [0, 1])
        #expect(try library.markFiles.vanishedMarks().isEmpty)
        let history = MarkHistory(now: Samples.monday)
        try library.markFiles.store(written: [], forgetting: ["/music/another.xopp"], history: history)
        #expect(try asked() == [30])
        #expect(try library.accept(chart: a) == .vanishedMarks)
        #expect(try library.markFiles.vanishedMarks().isEmpty)
        #expect(try library.markFiles.history(of: a).map(\.marks) == [29, 3, 30], "they can still be restored")
    }

    /// A folder that is put back from a backup loses a few marks in each of many files.
    @Test @LoopActor func manyMarksThatGoFromSeveralFilesAtOnceAreAskedAbout() throws {
        let library = try Library(folder: home.path)
        for (second, count, asked) in [(0, 9, 0), (1, 7, 0), (2, 4, 4), (3, 9, 0)] as [(Int64, Int, Int)] {
            let files = try ["a", "b", "c", "d"].map { try file("/music/\($0).xopp", for: AttachmentID($0), 0..<count) }
            try library.markFiles.store(written: files, history: MarkHistory(now: Samples.monday + .seconds(second)))
            #expect(try library.markFiles.vanishedMarks().values.joined().count(where: \.isOfMany) == asked, "\(count) in each")
        }
    }

    @Test @LoopActor func whereMarksAreAddedAFileIsRenamedOrFewAreErasedNobodyIsAsked() throws {
        let library = try Library(folder: home.path)
        try store(0..<5, library)
        try store(0..<9, library)
        try store(0..<9, library, as: "/music/Amazing.xopp", forgetting: ["/music/Grace.xopp"])
        #expect(try library.markFiles.history(of: a).isEmpty && library.journal.entries().isEmpty)
        try store(1..<9, library, as: "/music/Amazing.xopp")
        #expect(try library.journal.entries().map { $0.change.sentence.hasPrefix("1 mark vanished from Amazing.xopp") } == [true])
        #expect(try library.markFiles.vanishedMarks().isEmpty)
    }

    /// Somebody who deletes a file knows that its marks are gone.
    @Test @LoopActor func whatADeletedFileHadIsKeptAndAskedAboutByNobody() throws {
        let library = try Library(folder: home.path)
        try store(0..<5, library)
        let history = MarkHistory(now: Samples.monday)
        try library.markFiles.store(written: [], forgetting: ["/music/Grace.xopp"], history: history)
        #expect(try library.markFiles.history(of: a).map(\.missing) == [5] && library.journal.entries().count == 1)
        #expect(try library.markFiles.vanishedMarks().isEmpty)
        #expect(try library.markFiles.vanishedMarks(goneSince: Samples.monday)[a]?.map(\.missing) == [5])
    }

    @Test(arguments: [0, 1, 3]) @LoopActor func onlyTheLatestStatesAreKept(states: Int) throws {
        let library = try Library(folder: home.path)
        for number in 0..<6 { try store([number], library, states: states) }
        let points = try library.markFiles.history(of: a).map {
            try library.markFiles.missingMarks(of: $0.number, on: a)?.marks.first?.points.first?.x
        }
        #expect(points == [0.04, 0.03, 0.02].prefix(states).map { $0 })
        #expect(try library.journal.entries().count == 5)
    }

    @Test @LoopActor func ofManyMarksEveryOneThatIsMissingIsFound() throws {
        let library = try Library(folder: home.path)
        let all = Array(0..<20_000)
        try store(all, library)
        try store(all.filter { $0 % 2 == 0 }, library)
        let number = try #require(try library.markFiles.history(of: a).first?.number)
        #expect(try library.markFiles.missingMarks(of: number, on: a)?.marks.count == 10_000)
    }

    /// The two cases: somebody erases one mark after another and saves each time, or two programs save their own versions in turn.
    @Test(arguments: [Array((0...8).reversed()).map { Array(0..<$0) }, (0..<10).map { $0 % 2 == 0 ? [1, 2, 3, 4, 5, 6, 7, 8] : [9] }])
    @LoopActor func theStateWithAllMarksOutlastsThoseThatHadFewerOfThem(saves: [[Int]]) throws {
        let library = try Library(folder: home.path)
        for points in saves { try store(points, library, states: 2) }
        try store([], library, states: 2)
        #expect(try library.markFiles.history(of: a).count == 2)
        #expect(try library.markFiles.history(of: a).map(\.missing).max() == 8)
    }

    /// Somebody recolours one mark again and again after most were lost.
    @Test @LoopActor func theStateWithTheMostMarksOutlastsManyPoorerOnes() throws {
        let library = try Library(folder: home.path)
        try store([1, 2, 3, 4, 5, 6, 7, 8], library, states: 3)
        for number in 10..<20 { try store([number], library, states: 3) }
        #expect(try library.markFiles.history(of: AttachmentID("a")).map(\.marks) == [1, 1, 15])
    }

    /// Many people write a layer, and a program puts back older copies of it: more states than are kept.
    @Test(arguments: [1, 3]) @LoopActor func aMarkThatStandsNowhereElseOutlastsTheStateThatHadIt(states: Int) throws {
        let library = try Library(folder: home.path)
        for number in 0..<30 { try store([number % 7, 10 + number, 10 + number], library, states: states) }
        let history = try library.markFiles.history(of: a)
        let missing = try history.flatMap { try library.markFiles.missingMarks(of: $0.number, on: a)?.marks ?? [] }
        let places = missing.compactMap { $0.points.first.map { Int(($0.x * 100).rounded()) } }
        #expect(history.count == states && Set(places) == Set(0...6).subtracting([1]).union(10..<39))
        #expect(places.count { $0 == 10 } == 2, "two that draw the same are two")
        let oldest = try #require(history.last)
        try store([], library, states: states)
        #expect(try library.markFiles.history(of: a).contains { $0.number >= oldest.number && $0.missing > 50 })
    }

    @Test @LoopActor func whatWasDeletedGoesWithTheStateThatHadIt() throws {
        let library = try Library(folder: home.path)
        func store(_ ids: [Int], deleted: [Int] = []) throws {
            var file = Samples.localFile("/music/Grace.marks.json", for: a, marks: [])
            file.content?.marks = ids.map {
                Mark(id: "\($0)", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: Double($0) / 100, y: 0.5)])
            }
            file.content?.accountedFor = Set((ids + deleted).map { "\($0)" })
            try library.markFiles.store(written: [WrittenFile(file)], history: MarkHistory(states: 1, now: Samples.monday))
        }
        try store([1, 2])
        try store([3])
        try store([4, 5, 6], deleted: [1, 3])
        try store([7], deleted: [1, 3])
        let number = try #require(try library.markFiles.history(of: a).first?.number)
        let missing = try library.markFiles.missingMarks(of: number, on: a)?.marks.map(\.id)
        #expect(missing.map(Set.init) == ["2", "4", "5", "6"])
    }

    /// The places of marks depend on the size of their pages, and a state has one size for each page. So a state takes over marks only from
    /// a state with the same page sizes.
    @Test @LoopActor func aStateTakesOverOnlyWhatWasOnTheSamePages() throws {
        let library = try Library(folder: home.path)
        func store(_ points: [Int], sheet: Double) throws {
            var file = Samples.localFile("/music/Grace.xopp", for: a, marks: [])
            file.content?.marks = points.map {
                Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: Double($0) / 100, y: 0.5)])
            }
            file.content?.sheets = [PageIndex(0): PageGeometry(width: sheet, height: 100)]
            try library.markFiles.store(written: [WrittenFile(file)], history: MarkHistory(states: 2, now: Samples.monday))
        }
        for number in 0..<4 { try store([number], sheet: 100 + Double(number % 2)) }
        try store([], sheet: 100)
        #expect(try library.markFiles.history(of: a).map(\.marks) == [2, 2])
    }

    @Test @LoopActor func whereSoMuchVanishedThatThereIsNoRoomForItIsSaid() throws {
        let library = try Library(folder: home.path)
        for number in 0..<4 {
            var file = Samples.localFile("/music/Grace.xopp", for: a, marks: [])
            file.content?.marks = [Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: Double(number) / 100, y: 0.5)])]
            try library.markFiles.store(
                written: [WrittenFile(file)], history: MarkHistory(states: 1, joinedBytes: 10, now: Samples.monday))
        }
        #expect(try library.markFiles.history(of: a).map(\.marks) == [1])
        let dropped = try library.journal.entries().compactMap { entry in
            if case .formerMarksDropped(_, _, let marks) = entry.change { marks } else { nil as Int? }
        }
        #expect(dropped == [1, 1])
    }

    @Test @LoopActor func statesAreDroppedForTheirAgeOnlyWhenTheTimeIsSure() throws {
        let library = try Library(folder: home.path)
        try store([1, 2], library)
        try store([2], library)
        _ = try library.prune(now: Samples.monday, isTrusted: true)
        let later = Samples.monday + MarkHistory.age + .seconds(1)
        _ = try library.prune(now: later, isTrusted: false)
        _ = try library.prune(now: later, isTrusted: true)
        #expect(try library.markFiles.history(of: a).count == 1, "a clock may jump")
        _ = try library.prune(now: later + .seconds(86_400), historyAge: MarkHistory.age + .seconds(86_400), isTrusted: true)
        #expect(try library.markFiles.history(of: a).count == 1)
        _ = try library.prune(now: later + .seconds(2 * 86_400), isTrusted: true)
        #expect(try library.markFiles.history(of: a) == [])
    }

    /// A state's own date is not trusted, since the clock may have shown any year when the marks vanished.
    @Test(arguments: [Timestamp(nanoseconds: 0), Samples.monday + MarkHistory.age * 50]) @LoopActor
    func aStateIsKeptForAYearWhateverTheClockSaidWhenItWasMade(date: Timestamp) throws {
        let library = try Library(folder: home.path)
        try store([1, 2], library, at: date)
        try store([2], library, at: date)
        let day = Duration.seconds(86_400)
        for days in 0...366 { _ = try library.prune(now: Samples.monday + day * days, isTrusted: true) }
        #expect(try library.markFiles.history(of: a).map(\.missing) == [1])
        #expect(try !library.journal.entries().isEmpty)
        for days in 367...402 { _ = try library.prune(now: Samples.monday + day * days, isTrusted: true) }
        #expect(try library.markFiles.history(of: a) == [])
        #expect(try library.journal.entries().isEmpty)
    }

    @Test @LoopActor func twoNamesThatDifferOnlyInTheirUnicodeFormAreTwoFiles() throws {
        let library = try Library(folder: home.path)
        for marks in [["x", "y"], []] {
            let files = ["/music/\u{E9}.xopp", "/music/e\u{301}.xopp"].map { Samples.localFile($0, for: a, marks: marks) }
            try library.markFiles.store(written: files.map { try WrittenFile($0) }, history: MarkHistory(now: Samples.monday))
        }
        #expect(try library.markFiles.vanishedMarks()[a]?.map(\.path.utf8.count) == [15, 14])
    }

    @Test @LoopActor func twoMarksThatDrawTheSameAreTwo() throws {
        let library = try Library(folder: home.path)
        try store([1, 1, 1], library)
        try store([1], library)
        #expect(try library.markFiles.history(of: a).map(\.missing) == [2])
        let number = try #require(try library.markFiles.history(of: a).first?.number)
        #expect(try library.markFiles.missingMarks(of: number, on: a)?.marks.count == 2)
    }
}
