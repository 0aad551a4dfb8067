import Catalogue

extension HomeID {
    /// The id that a file's name has as a part's does, under whatever name a program put it aside, what is before it in the path, and whether
    /// it is one of these.
    static func split(_ path: String, _ ids: [String]) -> (stem: String, id: String, isOurs: Bool)? {
        guard let end = path.ranges(of: ".marks").last?.lowerBound, let start = path[..<end].lastIndex(of: " ") else { return nil }
        let id = String(path[path.index(after: start)..<end])
        return isID(id) ? (String(path[...start]), id, ids.contains(id)) : nil
    }
}
