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
        try library.update([Samples.contents("1", attachments: [a])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        return library
    }

    @Test @LoopActor func planIsPinnedOnceAndStaysSoOverRestarts() throws {
        let library = try library()
        #expect(try library.pinnedPlans() == [])
        #expect(try library.pin(plan))
        #expect(try !library.pin(plan), "it was before")
        library.close()
        let again = try Library(folder: home.path)
        #expect(try again.pinnedPlans() == [plan])
        #expect(try again.unpin(plan))
        #expect(try !again.unpin(plan), "it was not")
        #expect(try again.pinnedPlans() == [])
    }

    @Test @LoopActor func planThatIsNotHereIsRefused() throws {
        let library = try library()
        #expect(throws: LibraryError.unknownPlan(PlanID("2"))) { try library.pin(PlanID("2")) }
        #expect(throws: LibraryError.unknownPlan(PlanID("2"))) { try Library.pin(PlanID("2"), inLibraryAt: home.path) }
        #expect(try library.pinnedPlans() == [])
    }

    @Test @LoopActor func pinnedPlanStaysWithItsChartsUntilItIsUnpinned() throws {
        let library = try library()
        try library.pin(plan)
        #expect(try library.pruneWatched(now: muchLater) == [])
        #expect(try library.plans().map(\.plan.id) == [plan])
        #expect(try library.hasBytes(of: Samples.hash(Samples.pdf("a"))))

        try library.unpin(plan)
        #expect(try library.pruneWatched(now: muchLater) == [Samples.hash(Samples.pdf("a"))])
        #expect(try library.plans() == [])
    }

    @Test @LoopActor func pollsLeavePinsAlone() throws {
        let library = try library()
        try library.pin(plan)
        var told = Samples.contents("1", attachments: [a, Samples.attachment("b")])
        told.plan.title = "Harvest"
        try library.update([told], at: Samples.monday)
        try library.update([], named: [], at: Samples.monday + .seconds(-86_400))
        #expect(try library.gonePlans().keys.contains(plan))
        #expect(try library.pinnedPlans() == [plan])
    }

    @Test @LoopActor func anotherProcessPinsBesideTheOneThatWrites() throws {
        let library = try library()
        let reader = try Library(readingFrom: home.path)
        #expect(try Library.pin(plan, inLibraryAt: home.path))
        #expect(try library.pinnedPlans() == [plan])
        #expect(try reader.pinnedPlans() == [plan])
        try library.update([Samples.contents("2", attachments: [])], at: Samples.monday)
        #expect(try Library.unpin(plan, inLibraryAt: home.path))
        #expect(try library.pinnedPlans() == [])
    }

    @Test @LoopActor func nothingIsMadeWhereThereIsNoLibrary() throws {
        let folder = home.path("nowhere")
        try Folder.create(folder)
        #expect(throws: LibraryError.missing(path: folder + "/catalogue.sqlite")) { try Library.pin(plan, inLibraryAt: folder) }
        #expect(throws: LibraryError.missing(path: folder + "/catalogue.sqlite")) { try Library.unpin(plan, inLibraryAt: folder) }
        #expect(try Folder.names(in: folder) == [])
    }
}
