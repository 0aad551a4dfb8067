/// The contents of one of the user's mark files.
public struct MarkFile: Hashable, Sendable {
    /// The name of the layer of marks that were drawn in the viewer.
    public static let drawnName = "Drawn in Woodshed"

    /// The file's references to its chart or PDF. Each of them may be missing.
    public struct Reference: Hashable, Sendable {
        public var attachment: AttachmentID?
        /// The hash of the PDF that the marks were made on.
        public var chart: ChartHash?
        /// The first digits of that hash, in lower case, if the file does not state the whole hash.
        public var chartBeginning: String?
        /// The PDF's path as written in the file, absolute or relative.
        public var pdf: String?

        public init(attachment: AttachmentID? = nil, chart: ChartHash? = nil, chartBeginning: String? = nil, pdf: String? = nil) {
            (self.attachment, self.chart, self.chartBeginning, self.pdf) = (attachment, chart, chartBeginning, pdf)
        }

        /// The text in lower case, if it is the beginning of a hash: 8 to 63 hexadecimal digits. `nil` for any other text.
        public static func chartBeginning(_ text: String) -> String? {
            guard (8..<64).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
            return text.lowercased()
        }
    }

    /// The name of the layer; `nil` if the file has none.
    public var name: String?
    public var reference: Reference
    /// The marks in drawing order, each with its page of the PDF. Marks without a time are drawn as if they had been made when the file
    /// was first found.
    public var marks: [Mark]
    /// The sizes of the pages that the marks were made on, if the file states them. On a page of another size, marks keep their lengths
    /// in points.
    public var sheets: [PageIndex: PageGeometry]
    /// How many of the file's pages are not on a page of the PDF.
    public var otherPages: Int
    /// What was left out of the file, ignored or drawn differently: one sentence for each kind of case.
    public var notes: [String]
    /// The ids of marks whose change or deletion is recorded in the file, so that none of them counts as lost.
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

/// The chart that a mark file belongs to.
public struct MarkFileMatch: Hashable, Sendable {
    public var attachment: AttachmentID
    /// The PDF that the marks were made on, if it is known; `nil` for the chart's present PDF.
    public var markedOn: ChartHash?

    public init(_ attachment: AttachmentID, markedOn: ChartHash? = nil) { (self.attachment, self.markedOn) = (attachment, markedOn) }
}

/// One of the user's mark files, as last read.
public struct LocalFile: Hashable, Sendable {
    public var path: String
    /// The file's stamp at the last attempt to read it.
    public var stamp: FileStamp
    /// When the file was first found. Its marks without a time are drawn as if they had been made then.
    public var firstSeen: Timestamp
    /// The chart that the file belongs to; `nil` if no chart fits.
    public var attachment: AttachmentID?
    /// The PDF that the marks were made on, if it is known; `nil` for the chart's present PDF.
    public var markedOn: ChartHash?
    /// The contents when the file could last be read; `nil` if it never could. If the file is truncated now, its marks are kept.
    public var content: MarkFile?
    /// Why the file could not be read the last time, and where the fault is; `nil` if the file could be read.
    public var fault: String?

    public init(
        path: String, stamp: FileStamp, firstSeen: Timestamp, attachment: AttachmentID? = nil, markedOn: ChartHash? = nil,
        content: MarkFile? = nil, fault: String? = nil
    ) {
        (self.path, self.stamp, self.firstSeen, self.attachment) = (path, stamp, firstSeen, attachment)
        (self.markedOn, self.content, self.fault) = (markedOn, content, fault)
    }

    /// The id of the file's layer.
    public var layerID: LayerID { Self.layerID(ofFile: path) }

    /// The id of the layer of the file at `path`.
    public static func layerID(ofFile path: String) -> LayerID { LayerID(LayerID.ofFile + path) }

    /// The path of the file that has this layer; `nil` if the layer is not from a file.
    public static func path(ofLayer id: LayerID) -> String? {
        id.text.hasPrefix(LayerID.ofFile) ? String(id.text.dropFirst(LayerID.ofFile.count)) : nil
    }

    /// Whether marks keep their ids when the file at `path` is saved again: a native layer names its marks, and those of other files are
    /// numbered when they are read.
    public static func keepsIDs(_ path: String) -> Bool { path.lowercased().hasSuffix(".marks.json") }

    /// The file's marks as a layer of its chart; `nil` if the file belongs to no chart, or could never be read.
    public var layer: Layer? {
        guard let attachment, let content else { return nil }
        var marks = content.marks
        for place in marks.indices where marks[place].createdAt == nil { marks[place].createdAt = firstSeen }
        return Layer(id: layerID, attachment: attachment, name: content.name ?? stem, marks: marks)
    }

    /// The file's name without its folder and its ending.
    private var stem: String {
        let file = path.split(separator: "/").last ?? ""
        return file.lastIndex(of: ".").map { String(file[..<$0]) } ?? String(file)
    }
}

/// When a mark file was saved, as this library observed it, independently of other machines' clocks.
public struct ObservedSave: Hashable, Comparable, Sendable {
    /// The number of the scan that found the save. Later scans have higher numbers.
    public let look: Int
    /// The file's own time, which orders saves that the same scan found; the earliest possible time if the file's was in the future.
    public let time: Int64

    public init(look: Int, time: Int64) { (self.look, self.time) = (look, time) }

    /// Records a save that was found at `now`.
    public init(look: Int, of stamp: FileStamp, now: Timestamp) {
        self.init(look: look, time: stamp.modified > now.nanoseconds ? .min : stamp.modified)
    }

    public static func < (left: ObservedSave, right: ObservedSave) -> Bool { (left.look, left.time) < (right.look, right.time) }
}

/// The state of one of the user's mark files without its marks, which take much longer to load.
public struct MarkFileState: Hashable, Sendable {
    public let path: String
    public let stamp: FileStamp
    public let attachment: AttachmentID?
    /// Why the file could not be read the last time.
    public let fault: String?
    public let hasContent: Bool
    /// A sentence for each mark that was not understood at the last successful reading, and is therefore drawn differently or not at all.
    public let notes: [String]

    public init(
        path: String, stamp: FileStamp, attachment: AttachmentID?, fault: String?, hasContent: Bool, notes: [String]
    ) {
        (self.path, self.stamp, self.attachment, self.fault) = (path, stamp, attachment, fault)
        (self.hasContent, self.notes) = (hasContent, notes)
    }
}
