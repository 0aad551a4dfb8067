import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct PinsTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let plan = PlanID("1")
    private let muchLater = Samples.monday + .seconds(400 * 86_400)

    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        return library
    }

    @Test @LoopActor func planIsPinnedOnceAndStaysSoOverRestarts() throws {
        let library = try library()
        #expect(try library.plans.pinned() == [])
        #expect(try library.plans.pin(plan))
        #expect(try !library.plans.pin(plan), "it was before")
        library.close()
        let again = try Library(folder: home.path)
        #expect(try again.plans.pinned() == [plan])
        #expect(try again.plans.unpin(plan))
        #expect(try !again.plans.unpin(plan), "it was not")
        #expect(try again.plans.pinned() == [])
    }

    @Test @LoopActor func planThatIsNotHereIsRefused() throws {
        let library = try library()
        #expect(throws: LibraryError.unknownPlan(PlanID("2"))) { try library.plans.pin(PlanID("2")) }
        #expect(throws: LibraryError.unknownPlan(PlanID("2"))) {
            try Library.change(in: home.path) { library throws(LibraryError) in try library.plans.pin(PlanID("2")) }
        }
        #expect(try library.plans.pinned() == [])
    }

    @Test @LoopActor func pinnedPlanStaysWithItsChartsUntilItIsUnpinned() throws {
        let library = try library()
        try library.plans.pin(plan)
        #expect(try library.pruneWatched(now: muchLater) == [])
        #expect(try library.plans.all().map(\.plan.id) == [plan])
        #expect(try library.charts.hasBytes(of: Samples.hash(Samples.pdf("a"))))

        try library.plans.unpin(plan)
        #expect(try library.pruneWatched(now: muchLater) == [Samples.hash(Samples.pdf("a"))])
        #expect(try library.plans.all() == [])
    }

    @Test @LoopActor func pollsLeavePinsAlone() throws {
        let library = try library()
        try library.plans.pin(plan)
        var told = Samples.contents("1", attachments: [a, Samples.attachment("b")])
        told.plan.title = "Harvest"
        try library.plans.update([told], at: Samples.monday)
        try library.plans.update([], named: [], at: Samples.monday + .seconds(-86_400))
        #expect(try library.plans.gone().keys.contains(plan))
        #expect(try library.plans.pinned() == [plan])
    }

    @Test @LoopActor func anotherProcessPinsBesideTheOneThatWrites() throws {
        let library = try library()
        let reader = try Library(readingFrom: home.path)
        #expect(try Library.change(in: home.path) { library throws(LibraryError) in try library.plans.pin(plan) })
        #expect(try library.plans.pinned() == [plan])
        #expect(try reader.plans.pinned() == [plan])
        try library.plans.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        #expect(try Library.change(in: home.path) { library throws(LibraryError) in try library.plans.unpin(plan) })
        #expect(try library.plans.pinned() == [])
    }

    @Test @LoopActor func nothingIsMadeWhereThereIsNoLibrary() throws {
        let folder = home.path("nowhere")
        try Folder.create(folder)
        #expect(throws: LibraryError.missing(path: folder + "/catalogue.sqlite")) {
            try Library.change(in: folder) { library throws(LibraryError) in try library.plans.pin(plan) }
        }
        #expect(throws: LibraryError.missing(path: folder + "/catalogue.sqlite")) {
            try Library.change(in: folder) { library throws(LibraryError) in try library.plans.unpin(plan) }
        }
        #expect(try Folder.names(in: folder) == [])
    }
}
