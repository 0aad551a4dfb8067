import Catalogue
import Model

/// Files that are attached to a plan but not shown.
extension PlanStore {
    func leftOut(of plan: PlanID) throws(LibraryError) -> [LeftOut] {
        try database.rows(
            "SELECT attachment_id, filename, item, reason, rule FROM left_out WHERE plan_id = ? ORDER BY place", [.id(plan)]
        ) { row throws(LibraryError) in
            let reason: LeftOut.Reason =
                switch row.text(3) {
                case "not a PDF": .notAPDF
                case "not chosen": .notChosen(rule: row.text(4))
                case "of no item": .ofNoItem(owner: row.text(4))
                case "no permission": .noPermission
                case let other: throw .damaged(path: database.path, message: "a file is left out because \"\(other)\"")
                }
            return LeftOut(attachment: AttachmentID(row.text(0)), filename: row.text(1), item: row.text(2), reason: reason)
        }
    }

    func replace(leftOut: [LeftOut], of plan: PlanID) throws(LibraryError) {
        try database.run("DELETE FROM left_out WHERE plan_id = ?", [.id(plan)])
        for (place, file) in leftOut.enumerated() {
            let (reason, rule) =
                switch file.reason {
                case .notAPDF: ("not a PDF", "")
                case .notChosen(let rule): ("not chosen", rule)
                case .ofNoItem(let owner): ("of no item", owner)
                case .noPermission: ("no permission", "")
                }
            try database.run(
                """
                INSERT INTO left_out (plan_id, place, attachment_id, filename, item, reason, rule) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .id(plan), .integer(place), .id(file.attachment), .text(file.filename), .text(file.item), .text(reason),
                    .text(rule),
                ])
        }
    }
}
