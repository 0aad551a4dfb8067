import JSON
import Model

extension MovedMarks {
    /// Places are fractions of the page; a mark's place is its middle.
    var json: JSONText {
        [
            "moved": .integer(moved), "state": .text(isTakenBack ? "were" : "moved"), "settled": .boolean(isAccepted),
            "unplaced": .list(open.map(\.json)),
        ]
    }
}

extension MovedMarks.Open {
    fileprivate var json: JSONText {
        let box = mark.box
        let to = proposed.map { mark -> JSONText in
            ["page": .integer(mark.page.value), "x": .number(mark.middle.x), "y": .number(mark.middle.y)]
        }
        return [
            "layer": .text(layer.text), "id": .text(mark.id), "page": .integer(mark.page.value), "kind": .text(mark.kind.rawValue),
            "text": .maybe(mark.text), "box": .list([box.left, box.top, box.right, box.bottom].map { .number($0) }),
            "former": .text(former.description),
            "to": to ?? .null,
        ]
    }
}
