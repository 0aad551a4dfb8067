import CommandLine
import Model
import Sets

/// The musician's own folders of sets.
extension Examination {
    static func sets(_ sets: [SetsHere]?) -> [Finding] {
        guard let sets else {
            return [
                .warning(
                    "sets", "your folders of sets did not answer in time; the plans that are here stay as they are",
                    mend: "see that their disks are connected, or that this machine reaches their network; then run: \(woodshed("doctor"))")
            ]
        }
        return sets.map(finding)
    }

    /// More are listed by `woodshed plans`.
    private static let mostNamed = 3

    private static func finding(_ here: SetsHere) -> Finding {
        let path = here.folder.shellQuoted
        if let trouble = here.trouble {
            let mend: Wording =
                here.isThere
                ? "let yourself read it: chmod u+rx \(path); or name another folder in plans.folders"
                : "connect its disk; or make it: mkdir -p \(path); or take it out of plans.folders"
            return .warning("sets", "\(here.folder) cannot be read: \(trouble); its plans stay as they were", mend: mend)
        }
        var text: Wording = "\(here.folder): \(ours: here.counted)"
        for (place, other) in here.others.prefix(mostNamed).enumerated() {
            let lead: Wording = place == 0 ? "; not used: " : ", "
            let name: Wording = "\(other.path) (\(other.reason))"
            text = text + lead + name
        }
        if here.others.count > mostNamed {
            let more: Wording = " and \(here.others.count - mostNamed) more, which '\(woodshed("plans"))' lists"
            text = text + more
        }
        return .ok("sets", text)
    }
}
