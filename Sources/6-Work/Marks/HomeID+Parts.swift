import Catalogue
import Platform

/// What the file of a part reveals about the home that wrote it.
extension HomeID {
    /// Splits the path of a part's file into the text before the home's id, the id, and whether the id is one of `ids`. The path may
    /// also be one under which a program put such a file aside. Returns `nil` if it contains no id.
    static func split(_ path: String, _ ids: [String]) -> (stem: String, id: String, isOurs: Bool)? {
        guard let end = path.ranges(of: ".marks").last?.lowerBound, let start = path[..<end].lastIndex(of: " ") else { return nil }
        let id = String(path[path.index(after: start)..<end])
        return isID(id) ? (String(path[...start]), id, ids.contains(id)) : nil
    }

    /// Gives this home a new id if its part was written by another home with the same id, such as a copy of this home, or by this
    /// home itself before it was restored from a backup.
    func renewIfOthersWrote(_ reading: MarkReading, _ log: Log) {
        guard case .success(let content) = reading.result, content.part != nil, let word = content.writer, isStrange(word) else {
            return
        }
        _ = renew(
            because: reading.path,
            "was written by a copy of this home, by the laptop that it was moved to, or by itself before it was put back from a backup",
            log)
    }

    /// Gives this home a new id if the file at `path` has the present one in its name. Returns whether it did.
    func renew(because path: String, _ reason: String, _ log: Log) -> Bool {
        guard HomeID.split(path, [current])?.isOurs == true else { return false }
        log.warning("\(path) \(reason); what you draw from now on is kept in files of its own")
        renew(from: current)
        return true
    }
}
