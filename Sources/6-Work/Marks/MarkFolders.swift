package import Model
import Platform

/// Everything that is wrong with the folders of the user's mark files, including files in them that are not read.
public struct MarkFolders: Hashable, Sendable {
    /// Something that is wrong with a folder, or with a file in one.
    public enum Trouble: Hashable, Sendable {
        /// All files of a folder vanished together; this many are not back yet, and their marks are kept until then.
        case emptied(files: Int)
        /// The folder is on another disk than before, and this many files from the former disk are missing.
        case unmounted(files: Int)
        /// A file is missing; its marks are kept because the file at this path stands in for it.
        case replaced(by: String)
        /// A folder cannot be read, or does not respond; the records of its files are kept.
        case unreadable
        /// A folder is no longer configured; the last marks of this many files in it are kept.
        case unconfigured(files: Int)
        /// `annotations.ignore` leaves out this many files in a folder that were read before; their last marks are kept.
        case ignored(files: Int)
        /// The listing of a folder omits this many files that exist.
        case unlisted(files: Int)
        /// A file is not read although the user may expect that; this sentence gives the reason.
        case passedOver(String)
        case missing

        fileprivate var rank: Int {
            switch self {
            case .emptied: 0
            case .unmounted: 1
            case .replaced: 2
            case .unreadable: 3
            case .unconfigured: 4
            case .ignored: 5
            case .unlisted: 6
            case .passedOver: 7
            case .missing: 8
            }
        }

        fileprivate var isListed: Bool {
            switch self {
            case .unreadable, .passedOver: true
            default: false
            }
        }

        fileprivate func message(_ path: String) -> String {
            switch self {
            case .emptied(let files):
                "has lost \(files == 1 ? "its only mark file; its" : "all its \(files) mark files; their") marks are kept. "
                    + "If \(files == 1 ? "it is" : "they are") gone for good, run: \(woodshed("accept --gone \(path.shellQuoted)"))"
            case .unmounted(let files):
                "is on another disk than \(files == 1 ? "a mark file" : "\(files) mark files") in it that \(files == 1 ? "is" : "are") "
                    + "missing; \(files == 1 ? "its" : "their") marks are kept. Mount the other disk again, or, if "
                    + "\(files == 1 ? "it is" : "they are") gone for good, run: "
                    + woodshed("accept --gone \(path.shellQuoted)")
            case .replaced(let placeholder):
                "is missing, while \(placeholder) is there; its marks are kept. Download it or give it its name again, or, if it is gone "
                    + "for good, run: \(woodshed("accept --gone \(Folder.parent(of: path).shellQuoted)"))"
            case .unreadable: "cannot be read; what is known about its files is kept"
            case .unconfigured(let files):
                "is no longer in annotations.folders, or in plans.folders: the marks of \(files == 1 ? "1 file" : "\(files) files") in it are shown as last "
                    + "read. Add it again, or, to do without them, run: \(woodshed("accept --gone \(path.shellQuoted)"))"
            case .ignored(let files):
                "has \(files == 1 ? "1 mark file that is" : "\(files) mark files that are") ignored by now: the marks are shown as last read. "
                    + "Change annotations.ignore, or, to do without them, run: \(woodshed("accept --gone \(path.shellQuoted)"))"
            case .unlisted(let files):
                "is listed without \(files == 1 ? "1 mark file that is" : "\(files) mark files that are") there; \(files == 1 ? "its" : "their") marks are kept, "
                    + "but new files in it may be missed. Check its disk or network"
            case .passedOver(let message): message
            case .missing: "is missing; mark files in it are read as soon as it is there"
            }
        }
    }

    public struct Entry: Hashable, Sendable {
        public let path: String
        public let trouble: Trouble

        package var setback: Setback { Setback(path, trouble.message(path)) }
    }

    /// Sorted by the kind of trouble, then by path.
    public private(set) var entries: [Entry] = []

    /// Folders that cannot be read, or do not respond.
    package var unreadable: Set<String> { Set(entries.filter { $0.trouble == .unreadable }.map(\.path)) }

    /// All troubles except missing folders.
    package var troubles: [Setback] { entries.filter { $0.trouble != .missing }.map(\.setback) }

    /// Adds troubles; each key is the path of the folder or file that has the trouble.
    mutating func add(_ troubles: [String: Trouble]) {
        entries += troubles.map { Entry(path: $0.key, trouble: $0.value) }
        entries.sort { ($0.trouble.rank, $0.path) < ($1.trouble.rank, $1.path) }
    }

    /// The state after the paths accepted by `isNew` were checked again. `unreadable` and `passedOver` are the findings.
    func replacing(_ isNew: (String) -> Bool, unreadable: [String] = [], passedOver: [String: String]) -> MarkFolders {
        var folders = self
        folders.entries.removeAll { $0.trouble.isListed && isNew($0.path) }
        folders.add(Dictionary(unreadable.map { ($0, .unreadable) }) { first, _ in first })
        folders.add(passedOver.mapValues(Trouble.passedOver))
        return folders
    }

    /// Log lines about every trouble that is not in `former`; about an emptied folder, only if it has lost more files than before.
    func news(since former: MarkFolders) -> [String] {
        let known = Set(former.entries)
        return entries.compactMap { entry in
            guard case .emptied(let files) = entry.trouble else {
                return known.contains(entry) ? nil : "\(entry.path) \(entry.trouble.message(entry.path))"
            }
            let before = former.entries.compactMap { other in
                if case .emptied(let files) = other.trouble, other.path == entry.path { files } else { nil }
            }
            guard files > before.first ?? 0 else { return nil }
            let (what, whose, are) = files == 1 ? ("the mark file", "its", "it is") : ("all \(files) mark files", "their", "they are")
            return "\(what) in \(entry.path) \(files == 1 ? "is" : "are") gone; \(whose) marks are kept until \(are) back, or until you "
                + "confirm that \(are) gone for good: "
                + woodshed("accept --gone \(entry.path.shellQuoted)")
        }
    }
}
