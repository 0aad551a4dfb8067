import TestSupport

extension HostileChart {
    /// Numbers that occur in no drawing, and names and lists of extreme length.
    static let numbers: HostileFamily = {
        var family = HostileFamily("numbers")
        for seed in 1...16 { family.page("operators with absurd numbers, seed \(seed)", .warned, absurd(seed: UInt64(seed))) }
        for (name, content, fate) in [
            ("a name of a million letters", "/" + String(repeating: "N", count: 1_000_000) + " gs", Fate.warned),
            ("a number of a million digits", String(repeating: "9", count: 1_000_000) + " w 0 0 m 9 9 l S", .drawn),
            ("20,000 operands", String(repeating: "1 ", count: 20_000) + "re f", .warned),
            ("lists 400 deep", String(repeating: "[", count: 400) + String(repeating: "]", count: 400) + " TJ", .warned),
            ("lists 100,000 deep", String(repeating: "[", count: 100_000) + " TJ", .warned),
            ("dictionaries 100,000 deep", String(repeating: "<< /A ", count: 100_000) + " BDC", .warned),
            ("a string that never ends", "(" + String(repeating: "((", count: 100_000), .warned),
            ("digits that never end", "<" + String(repeating: "f", count: 1_000_000), .warned),
            ("dashes of next to nothing", "[\(tiny) \(tiny)] 0 d 0 0 m 1000000 1000000 l S", .drawn),
            ("dashes below none", "[-1 -1] \(vast) d 0 0 m 500 500 l S", .warned),
            ("a line as wide as everything", "\(vast) w 0 0 m 500 500 l S", .drawn),
            ("a coordinate system that ends all", String(repeating: "\(vast) 0 0 \(vast) 0 0 cm ", count: 40) + "0 0 9 9 re f", .warned),
        ] {
            family.page(name, fate, content)
        }
        family.add("a list in the file, 100,000 deep", .warned, bytes: object(String(repeating: "[", count: 100_000)))
        family.add("dictionaries in the file, 50,000 deep", .warned, bytes: object(String(repeating: "<< /A ", count: 50_000)))
        return family
    }()

    /// A page with a resource that is `object`.
    private static func object(_ object: String) -> [UInt8] {
        var pdf = TestPDF()
        pdf.addPage(resources: "/ExtGState \(pdf.add(object)) 0 R", "/G gs 0 0 99 99 re f")
        return pdf.bytes
    }

    /// Every operator, with numbers that are absurd for it.
    private static func absurd(seed: UInt64) -> String {
        let values = [
            "1e308", "-1e308", "1e-308", "NaN", "inf", "-inf", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
            "2147483647",
            "-2147483648", "4294967296", "0", "-0", "--5", "1.2.3", "+-+1", ".", "0x7fffffff", "99999999999999999999999999999999999999.9",
            "300", "0.5", vast, "-" + vast, tiny,
        ]
        let operators = [
            "cm", "w", "M", "i", "J", "j", "m", "l", "c", "v", "y", "re", "rg", "k", "g", "Tc", "Tw", "Tz", "TL", "Td", "Tm", "Ts", "d1",
            "f", "S", "B*", "W n",
            "sc", "scn", "h", "T*", "BT", "ET", "q", "Q",
        ]
        var random = SeededGenerator(seed: seed)
        return (0..<400).map { _ in
            let count = Int.random(in: 0...6, using: &random)
            let numbers = (0..<count).map { _ in values.randomElement(using: &random) ?? "0" }
            return numbers.joined(separator: " ") + " " + (operators.randomElement(using: &random) ?? "f")
        }.joined(separator: "\n")
    }
}
