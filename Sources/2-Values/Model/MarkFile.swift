/// The contents of one of the user's mark files.
public struct MarkFile: Hashable, Sendable {
    /// The name of the layer of marks that are drawn in the viewer.
    public static let drawnName = "Drawn in Woodshed"

    /// The chart or PDF that the file names; any of it may be missing.
    public struct Reference: Hashable, Sendable {
        public var attachment: AttachmentID?
        /// The hash of the bytes that were marked on.
        public var chart: ChartHash?
        /// The first digits of that hash, in lower case, if the file has no more of it.
        public var chartBeginning: String?
        /// The path of the PDF as it is written in the file, relative or not.
        public var pdf: String?

        public init(attachment: AttachmentID? = nil, chart: ChartHash? = nil, chartBeginning: String? = nil, pdf: String? = nil) {
            (self.attachment, self.chart, self.chartBeginning, self.pdf) = (attachment, chart, chartBeginning, pdf)
        }

        /// The first digits of a hash, at least eight, as the program itself prints them; `nil` if `text` is something else.
        public static func chartBeginning(_ text: String) -> String? {
            guard (8..<64).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
            return text.lowercased()
        }
    }

    /// The name of its layer; `nil` if the file gives it none.
    public var name: String?
    public var reference: Reference
    /// In drawing order, each with the page of the PDF that it is on. Marks without a time of their own take the file's.
    public var marks: [Mark]
    /// The sizes of the pages that the marks were made on, if the file gives them: on a page of another size, a point stays a point.
    public var sheets: [PageIndex: PageGeometry]
    /// How many of its pages are not on any page of the PDF.
    public var otherPages: Int
    /// What was not understood and left out, a sentence each.
    public var notes: [String]
    /// The ids of marks, changed or deleted, that the file itself accounts for: none of these has vanished.
    public var accountedFor: Set<String> = []

    public init(
        name: String? = nil, reference: Reference = Reference(), marks: [Mark], sheets: [PageIndex: PageGeometry] = [:],
        otherPages: Int = 0,
        notes: [String] = []
    ) {
        (self.name, self.reference, self.marks) = (name, reference, marks)
        (self.sheets, self.otherPages, self.notes) = (sheets, otherPages, notes)
    }
}

/// The chart that a mark file is for.
public struct MarkFileMatch: Hashable, Sendable {
    public var attachment: AttachmentID
    /// The bytes that it was marked on, if the file or its PDF shows them; `nil` for the ones that the chart has.
    public var markedOn: ChartHash?

    public init(_ attachment: AttachmentID, markedOn: ChartHash? = nil) { (self.attachment, self.markedOn) = (attachment, markedOn) }
}

/// One of the user's files with marks in it, as it was last read.
public struct LocalFile: Hashable, Sendable {
    public var path: String
    /// The file's stamp when it was last read, successfully or not.
    public var stamp: FileStamp
    /// When it was first seen: marks without a time of their own are drawn as if made then.
    public var firstSeen: Timestamp
    /// The chart that it belongs to; `nil` if none fits.
    public var attachment: AttachmentID?
    /// The bytes that it was marked on, if those are known; `nil` for the ones that its chart has.
    public var markedOn: ChartHash?
    /// What it contained when it was last understood: a file that is cut off now keeps its marks.
    public var content: MarkFile?
    /// Why it could not be understood the last time, and where in the file; `nil` if it could.
    public var fault: String?

    public init(
        path: String, stamp: FileStamp, firstSeen: Timestamp, attachment: AttachmentID? = nil, markedOn: ChartHash? = nil,
        content: MarkFile? = nil, fault: String? = nil
    ) {
        (self.path, self.stamp, self.firstSeen, self.attachment) = (path, stamp, firstSeen, attachment)
        (self.markedOn, self.content, self.fault) = (markedOn, content, fault)
    }

    /// The id of its layer among all others.
    public var layerID: LayerID { Self.layerID(ofFile: path) }

    /// The id of the layer of the file at `path`.
    public static func layerID(ofFile path: String) -> LayerID { LayerID(LayerID.ofFile + path) }

    /// The file whose layer has this id; `nil` for a layer that is not a file's.
    public static func path(ofLayer id: LayerID) -> String? {
        id.text.hasPrefix(LayerID.ofFile) ? String(id.text.dropFirst(LayerID.ofFile.count)) : nil
    }

    /// Its marks, as a layer among the others of its chart; `nil` if it belongs to none.
    public var layer: Layer? {
        guard let attachment, let content else { return nil }
        var marks = content.marks
        for place in marks.indices where marks[place].createdAt == nil { marks[place].createdAt = firstSeen }
        return Layer(id: layerID, attachment: attachment, name: content.name ?? stem, marks: marks)
    }

    /// Its name without the folder and without everything from the last dot on.
    private var stem: String {
        let file = path.split(separator: "/").last ?? ""
        return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? String(file)
    }
}

/// When a mark file was saved, as far as this library saw it: other machines' clocks do not matter.
public struct ObservedSave: Hashable, Comparable, Sendable {
    /// The look at mark files that found it; later ones have higher numbers.
    public let look: Int
    /// The file's own time, for saves that the same look found; the earliest time if it was in the future.
    public let time: Int64

    public init(look: Int, time: Int64) { (self.look, self.time) = (look, time) }

    /// Notes a save that was found at `now`.
    public init(look: Int, of stamp: FileStamp, now: Timestamp) {
        self.init(look: look, time: stamp.modified > now.nanoseconds ? .min : stamp.modified)
    }

    public static func < (left: ObservedSave, right: ObservedSave) -> Bool { (left.look, left.time) < (right.look, right.time) }
}

/// The state of one of the user's mark files, without its marks, which take much longer to read.
public struct MarkFileState: Hashable, Sendable {
    public let path: String
    public let stamp: FileStamp
    public let attachment: AttachmentID?
    /// Why it could not be understood the last time.
    public let fault: String?
    public let hasContent: Bool
    /// Marks that were not understood at the last successful reading, and are not drawn or not drawn as they were made: a sentence each.
    public let notes: [String]

    public init(
        path: String, stamp: FileStamp, attachment: AttachmentID?, fault: String?, hasContent: Bool, notes: [String]
    ) {
        (self.path, self.stamp, self.attachment, self.fault) = (path, stamp, attachment, fault)
        (self.hasContent, self.notes) = (hasContent, notes)
    }
}
