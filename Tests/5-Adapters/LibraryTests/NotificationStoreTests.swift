import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// The last reported change is still known after a restart.
@Suite(.onLoop)
struct NotificationStoreTests {
    private let home = TemporaryFolder()
    private let plan = Samples.contents("1", attachments: [Samples.attachment("a")])

    @Test @LoopActor func whatWasToldIsKnownToTheNextProcess() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: Samples.monday)
        try library.notifications.note(changesOf: [plan.plan.id, PlanID("unknown")], upTo: 1)
        try library.notifications.note(plan.plan.id, isUnready: true)
        try library.notifications.note(refusalAt: Samples.monday)
        library.close()
        let next = try Library(folder: home.path)
        let told = try next.notifications.ofPlans()
        #expect(told.keys.sorted() == [plan.plan.id])
        #expect(told[plan.plan.id]?.journalNumber == 1)
        #expect(told[plan.plan.id]?.isUnready == true)
        #expect(try next.notifications.isRefusalKnown)
        try next.notifications.note(plan.plan.id, isUnready: false)
        try next.notifications.note(refusalAt: nil)
        #expect(try next.notifications.ofPlans()[plan.plan.id]?.isUnready == false)
        #expect(try !next.notifications.isRefusalKnown)
    }

    @Test @LoopActor func whatWasReadNeedNotBeTold() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: Samples.monday)
        try library.notifications.note(changesOf: [plan.plan.id], upTo: library.journal.lastNumber)
        let longer = Samples.contents("1", attachments: [Samples.attachment("a"), Samples.attachment("b")])
        try library.plans.update([longer], at: Samples.monday)
        let number = try #require(try library.notifications.ofPlans()[plan.plan.id]?.journalNumber)
        #expect(try library.journal.changes(of: longer, after: number).count == 1)
        try library.journal.noteSeen(plan.plan.id)
        #expect(try library.notifications.ofPlans()[plan.plan.id]?.journalNumber == library.journal.lastNumber)
    }

    /// A catalogue from a backup may lack changes that were already reported, so the number of the last reported change is forgotten.
    @Test @LoopActor func aCatalogueFromABackupForgetsUpToWhereChangesWereTold() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([plan], at: Samples.monday)
        try library.notifications.note(changesOf: [plan.plan.id], upTo: 1)
        try library.notifications.note(plan.plan.id, isUnready: true)
        try library.database.noteRestored(from: Samples.monday)
        let told = try library.notifications.ofPlans()[plan.plan.id]
        #expect(told != nil && told?.journalNumber == nil)
        #expect(told?.isUnready == true)
    }
}
