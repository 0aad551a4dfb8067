package import Platform

/// The catalogue that the stores work on. When it is opened again, all of them work on the new one.
@LoopActor
package final class OpenCatalogue {
    package nonisolated let folder: String
    /// Whether another process may change what is here.
    package let isForReading: Bool
    package var database: Database
    /// How often this process changed attachments, their charts or the links to them.
    package private(set) var chartChanges = 0

    package init(_ database: Database, in folder: String, isForReading: Bool) {
        self.database = database
        self.folder = folder
        self.isForReading = isForReading
    }

    package nonisolated var chartsFolder: String { folder + "/charts" }

    /// Notes that attachments, their charts or the links to them may have changed.
    package func noteOtherCharts() { chartChanges += 1 }
}
