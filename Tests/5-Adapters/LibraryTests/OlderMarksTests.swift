import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct OlderMarksTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let path = "/music/a.xopp"
    private let ann = LayerID("ann")
    private let mine = LayerID("file:/music/a.xopp")
    private let one = Samples.pdf("1")
    private let two = Samples.pdf("2")
    private let three = Samples.pdf("3")

    /// A library with an attachment and its first chart.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(one, for: a)
        return library
    }

    private func layer(_ marks: [Mark]) -> Layer { Layer(id: ann, attachment: a.id, marks: marks) }
    @LoopActor private func tell(_ marks: [Mark], revision: Int = 1, _ library: Library, at time: Timestamp = Samples.monday) throws {
        var layer = layer(marks)
        layer.revision = revision
        try library.layers.update(layers: [layer], of: PlanID("1"), at: time)
    }

    private func older(_ layers: [LayerID: [UInt8]], than chart: [UInt8]) -> [OlderMarks] {
        [OlderMarks(attachment: a.id, chart: Samples.hash(chart), layers: layers.mapValues { Samples.hash($0) })]
    }

    @Test @LoopActor func marksOnAReplacedChartAreOlderUntilAccepted() throws {
        let library = try library()
        try tell([Samples.mark("x")], library)
        let file = Samples.localFile(path, for: a.id, marks: ["y"])
        try library.markFiles.store([file])
        try library.download(one, for: a)
        #expect(try library.olderMarks.all() == [])
        #expect(try library.accept(chart: a.id).isEmpty)

        try library.download(two, for: a)
        #expect(try library.olderMarks.all() == older([ann: one, mine: one], than: two))
        #expect(try library.markFiles.file(at: path)?.markedOn == Samples.hash(one))
        // The file and the layer come again, and do not state their chart.
        var saved = file
        saved.content?.marks.append(Samples.mark("z"))
        try library.markFiles.store([saved])
        try tell([Samples.mark("x"), Samples.mark("w")], library)
        #expect(try library.olderMarks.all() == older([ann: one, mine: one], than: two))

        #expect(try library.accept(chart: a.id) == .marks)
        #expect(try library.accept(chart: a.id).isEmpty)
        #expect(try library.olderMarks.all() == [])
        saved.markedOn = Samples.hash(one)
        try library.markFiles.store([saved])
        #expect(try library.olderMarks.all() == [], "it says what it said before")

        try library.download(three, for: a)
        #expect(try library.olderMarks.all() == older([ann: two, mine: two], than: three))
        try library.download(one, for: a)
        #expect(try library.olderMarks.all() == [], "they were made on these bytes")
    }

    /// A file without marks is not tied to any chart, and its next marks are made on the present one.
    @Test @LoopActor func aFileWhoseMarksAreAllTakenOutIsOnNoChart() throws {
        let library = try library()
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: ["y"])])
        try library.download(one, for: a)
        try library.download(two, for: a)
        #expect(try library.markFiles.file(at: path)?.markedOn == Samples.hash(one))
        for marks in [[], ["z"]] {
            try library.markFiles.store([Samples.localFile(path, for: a.id, marks: marks)])
            #expect(try library.markFiles.file(at: path)?.markedOn == nil)
        }
        #expect(try library.olderMarks.all() == [])
    }

    @Test @LoopActor func marksThatCameAfterTheChartAreNotOlder() throws {
        let library = try library()
        try library.download(two, for: a)
        try tell([Samples.mark("x")], library)
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: ["y"])])
        #expect(try library.olderMarks.all() == [])
    }

    @Test @LoopActor func aLayerThatBeginsAnewIsOnThePresentChart() throws {
        let library = try library()
        try tell([Samples.mark("x")], library)
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: ["y"])])
        try library.download(two, for: a)
        // A layer that has lost all its marks is believed only if it is still empty an hour later, so it is sent twice.
        for age in [0, 3600] { try tell([], revision: 2, library, at: Samples.monday + .seconds(age)) }
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: [])])
        #expect(try library.olderMarks.all() == [])
        try tell([Samples.mark("z")], revision: 3, library)
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: ["z"])])
        #expect(try library.olderMarks.all() == [])
    }

    @Test @LoopActor func othersMarkTheNewChartBeforeItIsHere() throws {
        let library = try library()
        let after = Timestamp(nanoseconds: 2_000_000_000)
        func replaced(at nanoseconds: Int64) throws -> Model.Attachment {
            var attachment = a
            attachment.updatedAt = Timestamp(nanoseconds: nanoseconds)
            try library.plans.update([Samples.contents("1", attachments: [attachment])], at: Samples.monday)
            return attachment
        }
        let second = try replaced(at: 1_500_000_000)
        try tell([Samples.mark("x", at: after)], library)
        try library.download(two, for: second)
        #expect(try library.olderMarks.all() == [])

        try tell([Samples.mark("x", at: after), Samples.mark("w", at: Timestamp(nanoseconds: 5))], library)
        try library.download(three, for: replaced(at: 1_600_000_000))
        #expect(try library.olderMarks.all() == older([ann: two], than: three))
    }

    /// If a service does not state when it replaced a file, all marks on the former file count as older, whenever they were made.
    @Test @LoopActor func marksAreOlderThanBytesThatChangedAtNoKnownTime() throws {
        let library = try library()
        var late = Samples.mark("x")
        late.createdAt = Samples.monday + .seconds(7 * 86_400)
        try tell([late], library)
        var replaced = a
        replaced.fileSize += 1
        try library.plans.update([Samples.contents("1", attachments: [replaced])], at: Samples.monday)
        try library.download(two, for: replaced)
        #expect(try library.olderMarks.all() == older([ann: one], than: two))
    }

    @Test @LoopActor func whatAFileSaysItWasMadeOnCounts() throws {
        let library = try library()
        var file = Samples.localFile(path, for: a.id, marks: ["y"])
        file.markedOn = Samples.hash(two)
        try library.markFiles.store([file])
        #expect(try library.olderMarks.all() == older([mine: two], than: one))
        try library.download(two, for: a)
        #expect(try library.olderMarks.all() == [])
    }

    @Test @LoopActor func marksAreAcceptedBesideARunningAgent() throws {
        let library = try library()
        try library.markFiles.store([Samples.localFile(path, for: a.id, marks: ["y"])])
        try library.download(two, for: a)
        #expect(try Library.change(in: home.path) { library throws(LibraryError) in try library.accept(chart: a.id) } == .marks)
        #expect(try library.olderMarks.all() == [])
    }
}
