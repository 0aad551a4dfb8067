public import Catalogue
public import Model

extension PlanStore {
    /// The plans that are kept, with their charts and images, whatever their date.
    public func pinned() throws(LibraryError) -> Set<PlanID> {
        Set(try database.rows("SELECT plan_id FROM pins") { PlanID($0.text(0)) })
    }

    /// Keeps a plan until it is unpinned. Returns whether it was not pinned before.
    @discardableResult
    public func pin(_ plan: PlanID) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in try Self.pin(plan, in: database) }
    }

    /// Restores normal cleanup for a plan. Returns whether it was pinned.
    @discardableResult
    public func unpin(_ plan: PlanID) throws(LibraryError) -> Bool {
        try Self.unpin(plan, in: database)
    }

    /// Pins a plan in the library of `folder`, even while another process writes to it.
    @discardableResult
    public nonisolated static func pin(_ plan: PlanID, inLibraryAt folder: String) throws(LibraryError) -> Bool {
        try Database.change(libraryAt: folder) { database throws(LibraryError) in try pin(plan, in: database) }
    }

    /// Unpins a plan in the library of `folder`, even while another process writes to it.
    @discardableResult
    public nonisolated static func unpin(_ plan: PlanID, inLibraryAt folder: String) throws(LibraryError) -> Bool {
        try Database.change(libraryAt: folder) { database throws(LibraryError) in try unpin(plan, in: database) }
    }

    private nonisolated static func pin(_ plan: PlanID, in database: Database) throws(LibraryError) -> Bool {
        guard try database.row("SELECT 1 FROM plans WHERE id = ?", [.id(plan)], { _ in true }) != nil else { throw .unknownPlan(plan) }
        return try database.run("INSERT INTO pins (plan_id) VALUES (?) ON CONFLICT (plan_id) DO NOTHING", [.id(plan)]) > 0
    }

    private nonisolated static func unpin(_ plan: PlanID, in database: Database) throws(LibraryError) -> Bool {
        try database.run("DELETE FROM pins WHERE plan_id = ?", [.id(plan)]) > 0
    }
}
