public import Model

extension LibraryChange {
    /// The change in plain words, in UTC, so that tests get the same text everywhere.
    public var sentence: String { sentence(telling: .utc) }
}
