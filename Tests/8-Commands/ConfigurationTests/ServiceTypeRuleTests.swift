import Model
import Testing

@testable import CommandLine
@testable import Configuration

@Suite(.timeLimit(.minutes(5)))
struct ServiceTypeRuleTests {
    private func choice(_ rules: [String], exclude: [String] = []) -> ChartChoice {
        var options = Options()
        options.charts.exclude = exclude
        options.charts.byServiceType = rules
        return options.chartChoice
    }

    @Test func rulesHoldForTheirServiceTypeOnly() {
        let choice = choice(["2 exclude=*drum*", "2 owners=song+key"], exclude: ["*bass*"])
        #expect(choice.rules(for: ServiceTypeID("1")) == choice.usual)
        let second = choice.rules(for: ServiceTypeID("2"))
        #expect(second.exclude == [FilenamePattern("*drum*")], "in place of the usual ones")
        #expect(second.owners == [.song, .key])
        #expect(second.generated == choice.usual.generated, "what is not named stays as usual")
    }

    @Test func severalPatternsOfOneTypeAddUp() {
        let rules = choice(["2 include=*lead*", "3 include=x*", "2 include=*vocal*", "2 generated=none"]).rules(for: ServiceTypeID("2"))
        #expect(Set(rules.include) == [FilenamePattern("*lead*"), FilenamePattern("*vocal*")])
        #expect(rules.generated.isEmpty)
    }

    @Test(arguments: [
        ("501002", "is not a rule"), ("501002 exclude", "is not a rule"), ("501002 exclude=", "is not a rule"),
        ("501002 exlude=*x*", "did you mean 'exclude'"), ("501002 owners=song,key", "'song,key' is none of"),
        ("501002 owners=sing", "did you mean 'song'"),
    ])
    func mistakesAreNamed(text: String, message: String) {
        let problem = #expect(throws: Trouble.self) { try ServiceTypeRule(text) }
        #expect(problem?.description.contains(message) == true, "\(problem?.description ?? "")")
    }
}
