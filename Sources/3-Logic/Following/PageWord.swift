/// A word that is printed on a page, and the box around it.
public struct PageWord: Hashable, Sendable {
    public var text: String
    public var from: PagePlace
    public var to: PagePlace

    public init(_ text: String, from: PagePlace, to: PagePlace) { (self.text, self.from, self.to) = (text, from, to) }
}
