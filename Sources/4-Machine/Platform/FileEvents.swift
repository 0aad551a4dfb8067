/// Something may have changed in a watched folder. An event is a hint; looking at the folder is the truth.
public enum FileEvent: Hashable, Sendable {
    /// A file was closed after writing, or renamed into place.
    case written(String)
    /// A file was deleted or moved away.
    case removed(String)
    /// A folder was deleted or moved away, with everything in it.
    case folderRemoved(String)
    /// Changes may have been missed below this folder: look at all of it.
    case rescan(String)
}
