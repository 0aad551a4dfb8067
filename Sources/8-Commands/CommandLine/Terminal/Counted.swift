extension Int {
    /// A number of things: "1 chart", "3 charts".
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
