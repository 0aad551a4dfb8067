public import Model

extension LibraryChange {
    /// The change in plain words, the same wherever the tests run.
    public var sentence: String { sentence(telling: .utc) }
}
