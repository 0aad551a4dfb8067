import Platform

/// What was in the roots when their watches were set, until an event makes that out of date.
@LoopActor
final class FirstListings {
    private var names: [String: TreeNames] = [:]
    private let side = SideThread()
    private let otherSide = SideThread()

    /// Keeps what is in a root, or forgets it if not all of it is known.
    func set(_ root: String, to found: TreeNames?) { names[root] = found }

    func forget() { names = [:] }

    /// Looks up the files of a root; `nil` if its names are not kept any more.
    func take(_ root: String) async -> FileListing? {
        guard let names = names.removeValue(forKey: root) else { return nil }
        let later = spawn { [otherSide] in await otherSide.run { names.listing(below: root, .later) } }
        var listing = await side.run { names.listing(below: root, .earlier) }
        guard let rest = await later.value else { return nil }
        listing?.add(rest)
        return listing
    }
}
