import Model
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(5)))
struct ChartChoiceOptionsTests {
    @Test func defaultsLeaveNothingOut() {
        #expect(Options().chartChoice == ChartChoice())
    }

    /// Each word of the configuration must select one kind. A word that selects none would leave out the charts that it names.
    @Test func everyWordStandsForAKindOfItsOwn() {
        var owners: Set<ChartChoice.Owner> = []
        for word in Options.Charts.allOwners {
            var options = Options()
            options.charts.owners = [word]
            owners.formUnion(options.chartChoice.usual.owners)
            #expect(options.chartChoice.usual.owners.count == 1, "\(word)")
        }
        #expect(owners == Set(ChartChoice.Owner.allCases))
        var kinds: Set<ChartChoice.Generated> = []
        for word in Options.Charts.allGenerated {
            var options = Options()
            options.charts.generated = [word]
            kinds.formUnion(options.chartChoice.usual.generated)
            #expect(options.chartChoice.usual.generated.count == 1, "\(word)")
        }
        #expect(kinds == Set(ChartChoice.Generated.allCases))
        var options = Options()
        options.charts.writing = "minor-numbers"
        options.charts.byServiceType = ["501002 generated=own"]
        #expect(options.chartChoice.usual.writing == .minorNumbers)
        #expect(options.chartChoice.rules(for: ServiceTypeID("501002")).writing == .minorNumbers, "those rules say nothing of it")
    }

    /// Songs are drawn anew once the instrument changes, and are as before without one.
    @Test func diagramsAreHandedOn() {
        #expect(Options().chartChoice.usual.diagrams == nil)
        for instrument in SongText.Diagrams.allCases {
            var options = Options()
            options.charts.diagrams = instrument.rawValue
            #expect(options.chartChoice.usual.diagrams == instrument)
            #expect(options.chartChoice.usual.text != Options().chartChoice.usual.text)
            #expect(Options().asked.differences(from: options.asked) == ["charts.diagrams"])
        }
    }

    /// After an update there is a setting that the last poll did not know.
    @Test func aSettingThatAPollDidNotKnowCountsAsItsDefault() {
        let asked = Options().asked
        let former = AskedSettings(asked.values.filter { $0.key != "charts.writing" })
        #expect(former != asked && former.differences(from: asked) == [] && asked.differences(from: former) == [])
        var options = Options()
        options.charts.writing = "numbers"
        #expect(former.differences(from: options.asked) == ["charts.writing"])
    }

    @Test func patternsAreHandedOn() {
        var options = Options()
        options.charts.include = ["*lead*"]
        options.charts.exclude = ["*drum*"]
        let rules = options.chartChoice.usual
        func rule(_ filename: String) -> String? { rules.ruleAgainst(filename: filename, owners: [.song], generated: nil) }
        #expect(rule("Hymn lead.pdf") == nil)
        #expect(rule("Hymn drum lead.pdf") != nil)
        #expect(rule("Hymn.pdf") != nil)
    }
}
