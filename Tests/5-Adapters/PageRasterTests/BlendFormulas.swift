/// The blend functions of ISO 32000-1 (11.3.5), for colours of 0...1.
struct BlendFormulas {
    typealias RGB = SIMD3<Double>

    static let modes: [(name: String, blend: @Sendable (_ below: RGB, _ above: RGB) -> RGB)] = [
        ("Normal", { $1 }),
        ("Multiply", { $0 * $1 }),
        ("Screen", { $0 + $1 - $0 * $1 }),
        ("Overlay", each { hardLight($1, $0) }),
        ("Darken", each { min($0, $1) }),
        ("Lighten", each { max($0, $1) }),
        ("ColorDodge", each { $0 == 0 ? 0 : $1 == 1 ? 1 : min(1, $0 / (1 - $1)) }),
        ("ColorBurn", each { $0 == 1 ? 1 : $1 == 0 ? 0 : 1 - min(1, (1 - $0) / $1) }),
        ("HardLight", each(hardLight)),
        ("SoftLight", each(softLight)),
        ("Difference", each { abs($0 - $1) }),
        ("Exclusion", { $0 + $1 - 2 * $0 * $1 }),
        ("Hue", { withLuminosity(withSaturation($1, saturation($0)), luminosity($0)) }),
        ("Saturation", { withLuminosity(withSaturation($0, saturation($1)), luminosity($0)) }),
        ("Color", { withLuminosity($1, luminosity($0)) }),
        ("Luminosity", { withLuminosity($0, luminosity($1)) }),
    ]

    private static func each(_ blend: @escaping @Sendable (Double, Double) -> Double) -> @Sendable (RGB, RGB) -> RGB {
        { RGB(blend($0.x, $1.x), blend($0.y, $1.y), blend($0.z, $1.z)) }
    }

    @Sendable private static func hardLight(_ below: Double, _ above: Double) -> Double {
        above <= 0.5 ? below * 2 * above : below + (2 * above - 1) - below * (2 * above - 1)
    }

    @Sendable private static func softLight(_ below: Double, _ above: Double) -> Double {
        guard above > 0.5 else { return below - (1 - 2 * above) * below * (1 - below) }
        let darker = below <= 0.25 ? ((16 * below - 12) * below + 4) * below : below.squareRoot()
        return below + (2 * above - 1) * (darker - below)
    }

    private static func luminosity(_ color: RGB) -> Double { 0.3 * color.x + 0.59 * color.y + 0.11 * color.z }

    private static func saturation(_ color: RGB) -> Double { color.max() - color.min() }

    private static func withSaturation(_ color: RGB, _ saturation: Double) -> RGB {
        color.max() > color.min() ? (color - color.min()) * (saturation / (color.max() - color.min())) : RGB()
    }

    private static func withLuminosity(_ color: RGB, _ luminosity: Double) -> RGB {
        let moved = color + (luminosity - self.luminosity(color))
        let (least, most) = (moved.min(), moved.max())
        if least < 0 { return (moved - luminosity) * (luminosity / (luminosity - least)) + luminosity }
        if most > 1 { return (moved - luminosity) * ((1 - luminosity) / (most - luminosity)) + luminosity }
        return moved
    }
}
