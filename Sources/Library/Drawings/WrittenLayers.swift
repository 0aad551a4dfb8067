public import Catalogue
public import Model

/// The layers that are drawn on a chart, as the catalogue keeps them: to read them takes as long as there are marks, and is for
/// beside the loop.
public struct WrittenLayers: Sendable {
    struct Entry: Sendable {
        let id: LayerID
        let text: String
        /// When marks without a time were made; `nil` where that is not known.
        let time: Timestamp?
        let laying: Laying
    }

    /// Which layers they are.
    public let drawing: Digest
    let attachment: AttachmentID
    let entries: [Entry]

    /// The layers, with a time and a place on the chart's page for each mark of a file, and without what nobody draws by: their names and revisions.
    public func read() throws(LibraryError) -> [Layer] {
        var layers: [Layer] = []
        for entry in entries {
            var marks = try MarksText.read(entry.text, of: entry.id)
            if let time = entry.time {
                for place in marks.indices where marks[place].createdAt == nil { marks[place].createdAt = time }
            }
            entry.laying.lay(&marks)
            layers.append(Layer(id: entry.id, attachment: attachment, marks: marks))
        }
        return layers
    }
}
