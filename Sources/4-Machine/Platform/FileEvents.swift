/// A possible change in a watched folder. An event is only a hint; the folder itself must be checked.
public enum FileEvent: Hashable, Sendable {
    /// A file was closed after writing, or renamed into place.
    case written(String)
    /// A file was deleted or moved away.
    case removed(String)
    /// A folder was deleted or moved away, with everything in it.
    case folderRemoved(String)
    /// Events below this folder may have been lost: check all of it.
    case rescan(String)
}
