package import Freshness
package import Model

/// The images of a set by their names; the index is built at the first access.
package struct WantedByName {
    private let set: WantedSet
    private let gather: (WantedSet) -> [ImageName: Int]
    private lazy var places = gather(set)

    package init(_ set: WantedSet, gathering gather: @escaping (WantedSet) -> [ImageName: Int] = WantedByName.places) {
        (self.set, self.gather) = (set, gather)
    }

    package static func places(in set: WantedSet) -> [ImageName: Int] {
        Dictionary(zip(set.images.lazy.map(\.name), 0...)) { first, _ in first }
    }

    package subscript(name: ImageName) -> WantedImage? {
        mutating get { places[name].map { set.images[$0] } }
    }
}
