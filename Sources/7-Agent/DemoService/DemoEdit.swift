package import Model

/// A change to the stand-in's state, as one of the musician's colleagues would make it at the service.
package struct DemoEdit: Sendable {
    package typealias Change = @Sendable (_ state: inout DemoState, _ now: Stamp) throws(Trouble) -> String

    /// Makes the change, and returns a line that describes it.
    let change: Change

    package init(_ change: @escaping Change) { self.change = change }
}

extension DemoEdit {
    /// Moves an item to a position in its plan's order, counted from 0.
    package static func moveItem(item: String, position: Int) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in try state.move(item, to: position, now: now) }
    }

    package static func replaceChart(attachment: String, bytes: [UInt8]) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in try state.replace(attachment, with: bytes, now: now) }
    }

    /// Replaces an attachment's bytes with another demo chart's, given by its attachment id or its name.
    package static func replaceChartWith(attachment: String, other: String) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in try state.replace(attachment, with: state.bytes(of: other), now: now) }
    }

    /// Adds a mark to a layer: `mark`, as JSON in the annotation format, or otherwise a red circle on the page.
    package static func addMark(layer: String, page: Int, mark: String?) -> DemoEdit {
        DemoEdit { state, now throws(Trouble) in try state.addMark(to: layer, page: page, mark: mark, now: now) }
    }

    /// Reads the request of `woodshed demo edit`: one JSON object, such as `{"edit": "move-item", "item": "91230005", "position": 0}`.
    package init(_ body: [UInt8]) throws(Trouble) {
        let order = JSON(bytes: body)
        func text(_ name: String) throws(Trouble) -> String {
            guard let text = order?[name]?.string else { throw Trouble("`\(name)` is missing, or no text") }
            return text
        }
        func number(_ name: String, from least: Int) throws(Trouble) -> Int {
            guard case .int(let number)? = order?[name], number >= least else {
                throw Trouble("`\(name)` is missing, or no number from \(least) on")
            }
            return number
        }
        switch order?["edit"]?.string {
        case "move-item": self = .moveItem(item: try text("item"), position: try number("position", from: 0))
        case "replace-chart": self = .replaceChartWith(attachment: try text("attachment"), other: try text("other"))
        case "add-mark":
            self = .addMark(layer: try text("layer"), page: try number("page", from: 1) - 1, mark: order?["mark"]?.string)
        default: throw Trouble("not an edit; `edit` is one of: move-item replace-chart add-mark")
        }
    }
}
