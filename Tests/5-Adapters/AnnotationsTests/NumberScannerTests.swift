import TestSupport
import Testing

@testable import Annotations

@Suite(.timeLimit(.minutes(5)))
struct NumberScannerTests {
    @Test(
        arguments: [
            ("1", 1), ("-2.5", -2.5), ("+3,25", 3.25), (".5", 0.5), ("7.", 7), ("1e3", 1000), ("1.5E-2", 0.015), ("100.00000000", 100),
            ("0.1", 0.1), ("1234567890123456789012", 1.2345678901234568e21), ("3,14159265358979323846", 3.14159265358979323846),
        ] as [(String, Double)])
    func numbers(text: String, value: Double) {
        #expect(NumberScanner.all(in: " \(text)\n", most: 2) == [value])
    }

    @Test(arguments: ["nan", "inf", "-inf", "0x10", "1.2.3", "1,2,3", "-", ".", "e5", "1e", "1e+", "12ll", "--1", "1e123456", "é"])
    func wordsAreNoNumbers(text: String) {
        let numbers = NumberScanner.all(in: text, most: 2)
        #expect(numbers.count == 1)
        #expect(numbers.first?.isNaN == true)
    }

    @Test func beyondWhatANumberHoldsIsInfinite() {
        #expect(NumberScanner.all(in: "1e999 -1e999 1e-999", most: 3) == [.infinity, -.infinity, 0])
    }

    @Test func whateverIsPrintedIsReadAsItWas() {
        var chance = SeededGenerator(seed: 6)
        for _ in 0..<20_000 {
            let value = Double.random(in: -2000...2000, using: &chance)
            let shorter = (value * 1e8).rounded() / 1e8
            let coarse = (value * 4).rounded() / 4
            #expect(NumberScanner.all(in: "\(value) \(shorter) \(coarse)", most: 3) == [value, shorter, coarse])
        }
    }
}
