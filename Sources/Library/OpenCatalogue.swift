import Catalogue
import Platform

/// The catalogue that the stores work on. When it is opened again, all of them work on the new one.
@LoopActor
final class OpenCatalogue {
    nonisolated let folder: String
    /// Whether another process may change what is here.
    let isForReading: Bool
    var database: Database
    /// How often this process changed attachments, their charts or the links to them.
    private(set) var chartChanges = 0

    init(_ database: Database, in folder: String, isForReading: Bool) {
        self.database = database
        self.folder = folder
        self.isForReading = isForReading
    }

    nonisolated var chartsFolder: String { folder + "/charts" }

    /// Notes that attachments, their charts or the links to them may have changed.
    func noteOtherCharts() { chartChanges += 1 }
}
