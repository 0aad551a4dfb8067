extension PlanContents {
    /// The rules of the configuration that leave files of it out, in words.
    public var rules: String {
        var rules: [String] = []
        for file in leftOut {
            if case .notChosen(let rule) = file.reason, !rules.contains(rule) { rules.append(rule) }
        }
        return rules.joined(separator: "; ")
    }
}
