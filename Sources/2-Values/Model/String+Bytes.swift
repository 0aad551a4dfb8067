import Glibc

extension String {
    /// Whether it comes before another in the order of their bytes, which the library and folder listings use.
    public func precedesByBytes(_ other: String) -> Bool {
        let sign = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { theirs -> Int in
                guard let one = own.baseAddress, let two = theirs.baseAddress else { return own.count - theirs.count }
                let common = memcmp(one, two, min(own.count, theirs.count))
                return common == 0 ? own.count - theirs.count : Int(common)
            }
        }
        guard case .some(.some(let sign)) = sign else { return utf8.lexicographicallyPrecedes(other.utf8) }
        return sign < 0
    }
}
