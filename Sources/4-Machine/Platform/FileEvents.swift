/// A possible change in a watched folder. An event proves nothing, so check the file or folder itself.
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
