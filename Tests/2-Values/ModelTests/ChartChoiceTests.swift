import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ChartChoiceTests {
    private typealias Rules = ChartChoice.Rules

    private static func patterns(_ texts: String...) -> [FilenamePattern] { texts.map { FilenamePattern($0) } }

    @Test func byDefaultNothingIsLeftOut() {
        let rules = ChartChoice().rules(for: ServiceTypeID("1"))
        for owner in ChartChoice.Owner.allCases {
            for generated in ChartChoice.Generated.usual.map(Optional.some) + [nil] {
                #expect(rules.ruleAgainst(filename: "any.pdf", owners: [owner], generated: generated) == nil)
            }
        }
    }

    @Test func excludeWinsOverInclude() {
        let rules = Rules(include: Self.patterns("*violin*", "*lead*"), exclude: Self.patterns("*old*"))
        #expect(rules.ruleAgainst(filename: "Grace - Violin I.pdf", owners: [.song], generated: nil) == nil)
        #expect(rules.ruleAgainst(filename: "Grace - violin OLD.pdf", owners: [.song], generated: nil) == "exclude *old*")
        #expect(rules.ruleAgainst(filename: "Grace - drums.pdf", owners: [.song], generated: nil) == "include *violin*, *lead*")
    }

    @Test func ownersAndGeneratedKindsAreSwitchedOneByOne() {
        let rules = Rules(owners: [.key, .item], generated: [.chordChart])
        #expect(rules.ruleAgainst(filename: "a.pdf", owners: [.key], generated: nil) == nil)
        #expect(rules.ruleAgainst(filename: "a.pdf", owners: [.arrangement], generated: nil) == "no files of the owner arrangement")
        #expect(rules.ruleAgainst(filename: "a", owners: [.key], generated: .chordChart) == nil)
        #expect(rules.ruleAgainst(filename: "a", owners: [.key], generated: .lyricChart) == "no generated charts of the kind lyric-chart")
    }

    @Test func aServiceTypeHasRulesOfItsOwn() {
        let choice = ChartChoice(usual: Rules(exclude: Self.patterns("*")), byServiceType: [ServiceTypeID("2"): Rules()])
        #expect(choice.rules(for: ServiceTypeID("1")).ruleAgainst(filename: "a", owners: [.item], generated: nil) == "exclude *")
        #expect(choice.rules(for: ServiceTypeID("2")).ruleAgainst(filename: "a", owners: [.item], generated: nil) == nil)
    }

    @Test(arguments: [
        ("*.pdf", "Grace.PDF", true), ("*.pdf", "Grace.pdf.mp3", false), ("", "", true), ("", "a", false), ("*", "", true),
        ("?", "", false),
        ("?.pdf", "é.pdf", true), ("É*", "é", true), ("**a**", "banana", true), ("a*b*c", "aXbYbZc", true), ("a*b*c", "aXbYbZ", false),
        ("*B♭*", "Amazing Grace - B♭ part.pdf", true), ("[a]*", "a", false), ("[A]*", "[a]b", true),
    ])
    func patternsMatchWholeNames(pattern: String, name: String, expected: Bool) {
        #expect(FilenamePattern(pattern).matches(name) == expected)
    }

    @Test func patternsMatchAsTheirDefinitionSays() {
        /// Matches by the definition, one character at a time: slow, but easy to verify.
        func defined(_ pattern: Substring, _ name: Substring) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            if first == "*" { return defined(pattern.dropFirst(), name) || (!name.isEmpty && defined(pattern, name.dropFirst())) }
            guard let character = name.first else { return false }
            return (first == "?" || first == character) && defined(pattern.dropFirst(), name.dropFirst())
        }
        var random = SeededGenerator(seed: 11)
        func text(_ alphabet: String, _ most: Int) -> String {
            String((0..<Int.random(in: 0...most, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) })
        }
        var matches = 0
        for _ in 0..<20_000 {
            let (pattern, name) = (text("ab*?", 7), text("ab", 9))
            let expected = defined(pattern[...], name[...])
            if expected { matches += 1 }
            #expect(FilenamePattern(pattern).matches(name) == expected, "\(pattern) \(name)")
            #expect(FilenamePattern(pattern.uppercased()).matches(name) == expected)
        }
        #expect((1000..<19_000).contains(matches))
    }

    @Test func aNastyPatternTakesNoTime() {
        let name = String(repeating: "a", count: 250)
        #expect(!FilenamePattern(String(repeating: "*a", count: 60) + "*b").matches(name))
    }
}
