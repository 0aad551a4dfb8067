/// The three images of a page.
public enum Variant: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// The page as it came, full size.
    case plain
    /// The page with everybody's visible marks, full size.
    case annotated
    /// The page as it came, small.
    case thumbnail

    private var rank: Int {
        switch self {
        case .plain: 0
        case .annotated: 1
        case .thumbnail: 2
        }
    }

    /// Full sizes come first, since they are what is played from.
    public static func < (left: Variant, right: Variant) -> Bool { left.rank < right.rank }
}
