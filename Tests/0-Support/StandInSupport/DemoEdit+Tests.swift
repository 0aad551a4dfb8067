package import DemoService
import Model

/// Edits like those that other users of the service make. The demo itself does not offer them.
extension DemoEdit {
    /// Removes items from the end of a plan until `keep` are left.
    package static func shrinkPlan(plan: String, keep: Int) -> DemoEdit {
        DemoEdit { state, _ throws(Trouble) in
            let index = try state.place(ofPlan: plan)
            let count = state.plans[index].items.count
            guard (0..<count).contains(keep) else { throw Trouble("plan \(plan) has \(count) items; keep fewer than that") }
            state.plans[index].items.removeLast(count - keep)
            return "dropped \(count - keep) of \(count) items of plan \(plan)"
        }
    }

    /// Gives a plan new services, each one hour long. `starts` lists when they start, in ISO 8601; an empty list leaves the plan without
    /// times.
    package static func setTimes(plan: String, starts: [String]) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            let index = try state.place(ofPlan: plan)
            var times: [DemoState.PlanTime] = []
            for (number, text) in starts.enumerated() {
                guard let start = Stamp(text) else { throw Trouble("'\(text)' is not a time like 2026-11-22T17:00:00Z") }
                times.append(.service("\(plan)\(number + 1)", starts: start))
            }
            state.plans[index].times = times
            state.plans[index].updatedAt = state.plans[index].updatedAt.next(now: now)
            return "gave plan \(plan) \(times.count) service times"
        }
    }

    package static func renamePlan(plan: String, title: String) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            let index = try state.place(ofPlan: plan)
            state.plans[index].title = title
            state.plans[index].updatedAt = state.plans[index].updatedAt.next(now: now)
            return "renamed plan \(plan) to '\(title)'"
        }
    }

    package static func renameItem(item: String, title: String) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in
            let (plan, index) = try state.place(ofItem: item)
            state.plans[plan].items[index].title = title
            state.plans[plan].items[index].updatedAt = state.plans[plan].items[index].updatedAt.next(now: now)
            return "renamed item \(item) to '\(title)'"
        }
    }

    /// Restores a former state of the whole service, as from a backup.
    package static func putBack(to former: DemoState) -> DemoEdit {
        DemoEdit { state, _ throws(Trouble) in
            state = former
            return "put everything back"
        }
    }

    /// Replaces an attachment's file by another with the same length and date: only its bytes differ.
    ///
    /// One byte differs in the first half and one in the second, both where no PDF reader looks.
    static func replaceUnseen(attachment: String) -> DemoEdit {
        DemoEdit { state, _ throws(Trouble) in
            guard let index = state.attachments.firstIndex(where: { $0.id == attachment }), var bytes = state.attachments[index].bytes
            else { throw Trouble(.unknown, "no attachment \(attachment)") }
            // The comment in a PDF's second line only marks the file as binary.
            let line = bytes.prefix(20).firstIndex(of: UInt8(ascii: "\n"))
            if let line, bytes.count > line + 40, bytes[line + 1] == UInt8(ascii: "%") { bytes[line + 2] ^= 1 }
            if let last = bytes.indices.last {
                bytes[last] = bytes[last] == UInt8(ascii: "\n") ? UInt8(ascii: " ") : UInt8(ascii: "\n")
            }
            state.attachments[index].bytes = bytes
            return "replaced attachment \(attachment) without a trace"
        }
    }
}

extension DemoState {
    fileprivate func place(ofPlan id: String) throws(Trouble) -> Int {
        if let index = plans.firstIndex(where: { $0.id == id }) { return index }
        throw Trouble(.unknown, "no plan \(id); there are: \(plans.map(\.id).joined(separator: " "))")
    }
}
