package import Model
import Platform

/// The state of the folders that are searched for the user's mark files.
public struct MarkFolders: Hashable, Sendable {
    /// Folders that are not there.
    public internal(set) var missing: Set<String> = []
    /// Folders whose files went away all at once, with how many are not back yet; their marks are kept until they are.
    public internal(set) var away: [String: Int] = [:]
    /// The same folders, without the numbers.
    public var emptied: Set<String> { Set(away.keys) }
    /// Files that are not there, whose marks are kept because something stands in for them, with its path.
    public internal(set) var placeholders: [String: String] = [:]
    /// Folders that may not be read; what is known of the files in them is kept.
    public internal(set) var unreadable: Set<String> = []
    /// Folders that are the same as another one under another name, with that name; their files count once.
    public internal(set) var twins: [String: String] = [:]
    /// What lies in the folders and is not read, though it may be meant to be, with what to say about it.
    public internal(set) var passedOver: [String: String] = [:]
    /// Folders that are not configured any more, with how many files in them are kept as they were read last.
    public internal(set) var former: [String: Int] = [:]
    /// Folders whose listings leave out files that are there, with how many those are.
    public internal(set) var unlisted: [String: Int] = [:]

    /// The state as an agent finds it before it has done anything.
    package init(as survey: MarkSurvey, _ standing: RootsOnDisk, in roots: MarkRoots, passedOver: [String: String]) {
        away = Dictionary(survey.emptied.map { ($0.root, $0.files.count) }) { first, _ in first }
        placeholders = survey.placeholders
        unreadable = survey.unread
        note(survey, in: roots)
        self.passedOver = passedOver
        missing = Set(roots.folders.filter { !standing.has($0) }).subtracting(roots.optional).subtracting(emptied).subtracting(unreadable)
    }

    init() {}

    /// Notes which files are kept though no listing has them.
    mutating func note(_ survey: MarkSurvey, in roots: MarkRoots) {
        let tops = Dictionary(grouping: survey.homeless) { roots.outermostFolder(of: $0) }.values
        former = Dictionary(tops.map { (Self.commonFolder(of: $0), $0.count) }, uniquingKeysWith: +)
        unlisted = Dictionary(survey.unlisted.map { (Folder.parent(of: $0), 1) }, uniquingKeysWith: +)
    }

    /// The folder that all of these files are in.
    private static func commonFolder(of files: [String]) -> String {
        files.dropFirst().reduce(Folder.parent(of: files[0])) { folder, file in
            var folder = folder
            while folder != "/", !MarkRoots.isPath(file, in: folder) { folder = Folder.parent(of: folder) }
            return folder
        }
    }

    /// What is said of files that are kept though no listing has them.
    var kept: [Setback] {
        former.sorted { $0.key < $1.key }.map { folder, count in
            Setback(
                folder,
                "is no longer in annotations.folders: the marks of \(count == 1 ? "1 file" : "\(count) files") in it are shown as last read. "
                    + "Add it again, or, to do without them, run: \(woodshed("accept --gone '\(folder)'"))")
        }
            + unlisted.sorted { $0.key < $1.key }.map { folder, count in
                Setback(
                    folder,
                    "is listed without \(count == 1 ? "1 mark file that is" : "\(count) mark files that are") there; their marks are kept, "
                        + "but new files in it may be missed. Check its disk or network")
            }
    }

    /// What happened to folders and files whose last known state is kept, for people.
    package var troubles: [Setback] {
        let emptied = away.sorted { $0.key < $1.key }.map { folder, count in
            Setback(
                folder,
                "has lost \(count == 1 ? "its only mark file" : "all its \(count) mark files"); their marks are kept. "
                    + "If they are gone for good, run: \(woodshed("accept --gone '\(folder)'"))")
        }
        let unreadable = unreadable.sorted().map {
            Setback($0, "cannot be read; what is known about its files is kept")
        }
        let replaced = placeholders.sorted { $0.key < $1.key }.map { Setback($0, Self.words(of: $0, $1)) }
        return emptied + replaced + unreadable + kept + passedOver.sorted { $0.key < $1.key }.map(Setback.init)
    }

    /// What to say about a file in whose place there is only a `placeholder`.
    static func words(of path: String, _ placeholder: String) -> String {
        let folder = Folder.parent(of: path)
        return
            "is missing, while \(placeholder) is there; its marks are kept. Download it or give it its name again, or, if it is gone for "
            + "good, run: \(woodshed("accept --gone '\(folder)'"))"
    }
}
