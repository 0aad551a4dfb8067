import TestSupport

extension HostileChart {
    /// Groups within groups, and masks that are masked by themselves.
    static let blending: HostileFamily = {
        var family = HostileFamily("blending")
        let modes = [
            "/Multiply", "/Screen", "/Overlay", "/Darken", "/Lighten", "/ColorDodge", "/ColorBurn", "/HardLight", "/SoftLight",
            "/Difference",
            "/Exclusion", "/Hue", "/Saturation", "/Color", "/Luminosity", "/None", "[/None /Nothing]", "[null 7 /Screen]",
        ]
        for (index, mode) in modes.enumerated() {
            let (isIsolated, isKnockout, depth) = (index % 2 == 0, index / 2 % 2 == 0, [1, 4, 12][index % 3])
            family.page(
                "\(mode), \(isIsolated ? "isolated, " : "")\(isKnockout ? "knocking out, " : "")\(depth) deep",
                mode == "/None" || mode.contains("7") ? .warned : .drawn, "/X Do"
            ) {
                nested(depth, mode, "/I \(isIsolated) /K \(isKnockout)", in: &$0)
            }
        }
        family.page("groups 60 deep", "/X Do") { nested(60, "/Screen", "/I true /K true", in: &$0) }
        family.page("groups 2000 deep", "/X Do") { nested(2000, "/Screen", "/I true", in: &$0) }
        for kind in ["/Alpha", "/Luminosity"] {
            family.page("a mask of \(kind) that is masked by itself", "/G gs 0 0 500 500 re f") { pdf in
                let state = pdf.add("")
                let form = pdf.add(masked(by: state))
                pdf.replace(state, "<< /SMask << /Type /Mask /S \(kind) /G \(form) 0 R >> >>")
                return "/ExtGState << /G \(state) 0 R >>"
            }
        }
        family.page("two masks that mask each other", "/G gs 0 0 500 500 re f") { pdf in
            let (first, second) = (pdf.add(""), pdf.add(""))
            pdf.replace(first, "<< /SMask << /S /Alpha /G \(pdf.add(masked(by: second))) 0 R >> >>")
            pdf.replace(second, "<< /SMask << /S /Luminosity /G \(pdf.add(masked(by: first))) 0 R >> >>")
            return "/ExtGState << /G \(first) 0 R >>"
        }
        family.page("masks of masks, ten times each", .timedOut, "/G gs 0 0 500 500 re f") { pdf in
            var state = pdf.add("<< /ca 0.5 >>")
            for _ in 0..<12 {
                let form = pdf.add(masked(by: state, times: 10))
                state = pdf.add("<< /SMask << /S /Alpha /G \(form) 0 R >> >>")
            }
            return "/ExtGState << /G \(state) 0 R >>"
        }
        for mask in [
            "7", "<< /S /Alpha >>", "<< /S /Alpha /G 3 0 R >>", "<< /S /Luminosity /BC [\(vast) -\(vast)] /TR /Nothing /G null >>",
        ] {
            family.page("a mask that is \(mask)", .warned, "/G gs 0 0 500 500 re f") { _ in "/ExtGState << /G << /SMask \(mask) >> >>" }
        }
        return family
    }()

    private static func masked(by state: Int, times: Int = 1) -> String {
        TestPDF.form(
            String(repeating: "/G gs 0 0 300 300 re f\n", count: times), resources: "/ExtGState << /G \(state) 0 R >>",
            entries: "/Group << /S /Transparency /CS /DeviceGray >>")
    }

    /// Groups that each show the next one in a blend mode; returns the resources that name the outermost.
    private static func nested(_ depth: Int, _ mode: String, _ entries: String, in pdf: inout TestPDF) -> String {
        let state = pdf.add("<< /BM \(mode) /ca 0.9 >>")
        var resources = "/ExtGState << /G \(state) 0 R >>"
        for _ in 0..<depth {
            let content = "/G gs 0.5 0.3 0.9 rg 0 0 200 200 re f " + (resources.contains("XObject") ? "/X Do" : "")
            let form = pdf.add(TestPDF.form(content, resources: resources, entries: "/Group << /S /Transparency \(entries) >>"))
            resources = "/ExtGState << /G \(state) 0 R >> /XObject << /X \(form) 0 R >>"
        }
        return resources
    }
}
