public import Model
import Platform

/// What happened to a catalogue that was not as it had been left.
public enum CatalogueNews: Hashable, Sendable, CustomStringConvertible {
    /// It could not be used, and was replaced by a backup from this time.
    case restored(CatalogueCondition, backup: Timestamp, setAside: String?)
    /// It could not be used, there was no backup, and a new one was begun that knows none of these charts.
    case begunAnew(CatalogueCondition, charts: Int, setAside: String?)
    /// It could not be used, but this process still had everything that was in it.
    case putBack(CatalogueCondition?, setAside: String?)
    /// Its write-ahead log was lost while this process had it open, and what was only in the log with it.
    case cutOff(setAside: String?)
    /// Somebody put another catalogue in its place, which is used now; what was known before is kept as a backup, if that was possible.
    case replaced(backup: String?, regained: RegainedChoices?)

    public var description: String {
        switch self {
        case .restored(let condition, let backup, let setAside):
            "the catalogue \(condition.sentenceOfThePast): the backup of \(LocalTime.minute(nanosecondsSinceEpoch: backup.nanoseconds)) is used instead"
                + Self.kept(setAside)
                + "; what changed since then comes with the next sync, but set any pins and hidden marks made since then again"
        case .begunAnew(let condition, let charts, let setAside):
            "the catalogue \(condition.sentenceOfThePast), and there is no backup of it: a new one is started" + Self.kept(setAside)
                + Self.beside(charts) + ": run '\(woodshed("sync"))' as soon as there is a network"
        case .putBack(let condition, let setAside):
            "the catalogue \(condition?.sentenceOfThePast ?? "had one of its files removed or replaced") while it was in use: it was rewritten with everything that was known"
                + Self.kept(setAside)
        case .cutOff(let setAside):
            "the catalogue's write-ahead log was cut off or removed while in use: the catalogue is used as it was before those changes"
                + Self.kept(setAside)
                + "; what it is missing comes from the service and your mark files, but set recent pins and hidden marks again"
        case .replaced(let backup, let regained):
            "another catalogue was put in place of the one in use, and is used from now on; what it is missing comes from the service and your mark files, but set recent pins and hidden marks again"
                + (regained.map { "; \($0.sentence)" } ?? "") + (backup.map { "; the previous one is kept as \($0)" } ?? "")
        }
    }

    private static func beside(_ charts: Int) -> String {
        if charts == 0 { return "; there are no charts beside it, and only the service knows what the plans need" }
        return "; the \(charts == 1 ? "chart" : "\(charts) charts") beside it stay\(charts == 1 ? "s" : "") and can be opened in the "
            + "music folder, but only the service knows which plans need them"
    }

    private static func kept(_ path: String?) -> String { path.map { "; what was there is kept as \($0)" } ?? "" }
}
