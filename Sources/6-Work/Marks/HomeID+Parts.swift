import Catalogue

extension HomeID {
    /// Takes the path of a part's file apart, under whatever name a program put it aside: what comes before the id, the id, and whether it
    /// is one of `ids`.
    static func split(_ path: String, _ ids: [String]) -> (stem: String, id: String, isOurs: Bool)? {
        guard let end = path.ranges(of: ".marks").last?.lowerBound, let start = path[..<end].lastIndex(of: " ") else { return nil }
        let id = String(path[path.index(after: start)..<end])
        return isID(id) ? (String(path[...start]), id, ids.contains(id)) : nil
    }
}
