extension PlanContents {
    /// The rules of the configuration that leave out some of its files, in words.
    public var rules: String {
        var rules: [String] = []
        for file in leftOut {
            if case .notChosen(let rule) = file.reason, !rules.contains(rule) { rules.append(rule) }
        }
        return rules.joined(separator: "; ")
    }
}
