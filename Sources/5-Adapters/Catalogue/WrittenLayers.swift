public import Model

/// The layers that are drawn on a chart, as the catalogue stores them: reading them takes longer the more marks there are, and is
/// to be done beside the loop.
public struct WrittenLayers: Sendable {
    package struct Entry: Sendable {
        let id: LayerID
        let text: String
        /// When marks without a time of their own were made; `nil` if that is not known.
        let time: Timestamp?
        let laying: Laying

        package init(id: LayerID, text: String, time: Timestamp?, laying: Laying) {
            self.id = id
            self.text = text
            self.time = time
            self.laying = laying
        }
    }

    /// Identifies these layers.
    public let drawing: Digest
    let attachment: AttachmentID
    let entries: [Entry]

    package init(drawing: Digest, attachment: AttachmentID, entries: [Entry]) {
        self.drawing = drawing
        self.attachment = attachment
        self.entries = entries
    }

    /// The layers, with a time and a place on the chart's page for each mark of a file, but without the names and revisions, which
    /// nobody needs for drawing.
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
