/// One difference that a poll found between the service and the library.
public enum LibraryChange: Hashable, Sendable, Codable {
    case planAdded(PlanReference)
    /// Its times are others than before.
    case planMoved(PlanReference, from: Timestamp?, to: Timestamp?)
    /// It has less than before, but not so much less that it is held back.
    case planShrunk(PlanReference, from: Int, to: Int)
    /// What is told of it is doubtful: kept as it was until somebody accepts it, or time confirms it.
    case planHeldBack(PlanReference, HoldReason)
    /// The same of a plan that lost charts, in journals of before.
    case planShrinkHeldBack(PlanReference, from: Int, to: Int)
    /// The service does not name it any more; it is kept until it is past.
    case planGone(PlanReference)
    case itemMoved(PlanReference, item: String, from: Int, to: Int)
    case chartAdded(PlanReference, ChartReference)
    /// The service has other bytes for it.
    case chartReplaced(PlanReference, ChartReference)
    /// It is not part of the plan any more; its bytes stay.
    case chartRemoved(PlanReference, ChartReference)
    case layerAdded(LayerReference)
    case layerChanged(LayerReference)
    /// Its owner deleted it.
    case layerDeleted(LayerReference)
    /// The service does not name it any more, and nobody said that it was deleted; it is kept.
    case layerGone(LayerReference)
    /// What is told of it is doubtful, or cannot be read: what is here is kept.
    case layerDoubted(LayerReference, LayerDoubt.Reason)
    /// A program of the user's had saved something over its file, which was set aside when the chart was fetched again.
    case chartSetAside(ChartReference, path: String)
    /// There are marks on pages of it that looked different when they were made.
    case marksOutdated(ChartReference, pages: [PageIndex])

    /// A plan, by its id and by what people call it.
    public struct PlanReference: Hashable, Sendable, Codable {
        public var id: PlanID
        /// Without the day where `time` tells that; journals of before have it in here.
        private var name: String
        /// When people say that it is.
        private var time: Timestamp?

        /// Names a plan.
        public init(_ plan: Plan) {
            id = plan.id
            time = plan.mainTime
            // The service words the dates in its own time zone: another day, perhaps, than the one of the music folder.
            name = time == nil && !plan.dates.isEmpty ? "\(plan.displayName) (\(plan.dates))" : plan.displayName
        }

        /// What people call it, with its day.
        public func name(telling times: TimeWords) -> String { time.map { "\(name) (\(times.day($0)))" } ?? name }
    }

    /// A chart, by its attachment and by what people call it.
    public struct ChartReference: Hashable, Sendable, Codable {
        public var id: AttachmentID
        public var name: String

        /// Names a chart.
        public init(_ attachment: Attachment) {
            id = attachment.id
            name = attachment.filename
        }

        /// Names a chart of which no more is known.
        public init(id: AttachmentID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// A layer, by its id and by what people call it.
    public struct LayerReference: Hashable, Sendable, Codable {
        public var id: LayerID
        public var attachment: AttachmentID
        public var name: String
        /// What the chart that it lies on is called; empty where that is not known.
        public var chart: String

        /// Names a layer.
        public init(_ layer: Layer, chart: String = "") {
            id = layer.id
            attachment = layer.attachment
            self.chart = chart
            name = layer.personName.isEmpty ? layer.name : "\(layer.name) by \(layer.personName)"
        }
    }
}
