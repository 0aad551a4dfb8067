import Foundation

extension XournalSample {
    /// Every tool, fill, dash, pressure, text size, picture and layer that a journal can have.
    static let all: [XournalSample] = lines + highlighters + texts + pictures + pages

    private static let triangle = "60 80 240 100 120 300 60 80"

    private static let lines: [XournalSample] = [
        XournalSample(
            "pens of all widths", (1...8).map { stroke("pen", "#3333ccff", "\(Double($0) * 0.85)", wave(Double($0) * 40)) }.joined()),
        XournalSample(
            "colours by name",
            ["black", "blue", "red", "green", "gray", "lightblue", "lightgreen", "magenta", "orange", "yellow", "white"].enumerated()
                .map { stroke("pen", $1, "6", wave(20 + Double($0) * 32, height: 8)) }.joined()),
        XournalSample(
            "a pen's alpha", stroke("pen", "#ff000040", "8", wave(100)) + stroke("pen", "#0000ff80", "2 6 8", "20 200 140 220 280 200")),
        XournalSample("dots", (0..<6).map { stroke("pen", "red", "\(2 + $0 * 3)", "\(30 + $0 * 45) 200 \(30 + $0 * 45) 200") }.joined()),
        XournalSample("sharp corners", stroke("pen", "#008000ff", "9", "30 30 270 60 40 90 260 180 50 350 60 200")),
        XournalSample("a filled pen", stroke("pen", "#ff8000ff", "3", triangle, "fill=\"96\"")),
        XournalSample("a pen filled whole", stroke("pen", "#ff00ffff", "1.41", triangle, "fill=\"255\"")),
        XournalSample("filled and open", stroke("pen", "#0000ffff", "5", "40 60 260 90 150 330", "fill=\"64\"")),
        XournalSample(
            "dashes", stroke("pen", "black", "2", wave(80), "style=\"dash\"") + stroke("pen", "red", "5", wave(240), "style=\"dash\"")),
        XournalSample(
            "dashes and dots",
            stroke("pen", "blue", "2.26", wave(100), "style=\"dashdot\"") + stroke("pen", "blue", "1", wave(250), "style=\"dashdot\"")),
        XournalSample(
            "dots in a row",
            stroke("pen", "red", "2", wave(100), "style=\"dot\"") + stroke("pen", "#000000ff", "1.41", triangle, "style=\"dot\"")),
        XournalSample("dashes of one's own", stroke("pen", "magenta", "3", triangle, "style=\"cust: 12 5 2 5\" fill=\"40\"")),
        XournalSample("pressure", stroke("pen", "#3333ccff", pressure(6), wave(100)) + stroke("pen", "black", pressure(12), wave(280))),
        XournalSample("pressure in few points", stroke("pen", "red", "5 2 9 4 14", "30 60 250 100 60 200 240 320 40 360")),
        XournalSample(
            "pressure and dashes",
            stroke("pen", "blue", pressure(7), wave(120), "style=\"dash\"")
                + stroke("pen", "green", "3 2 8 4", "30 220 270 240 40 340 260 370", "style=\"dashdot\"")),
        XournalSample("pressure and a fill", stroke("pen", "orange", pressure(6, points: 4), triangle, "fill=\"128\"")),
        XournalSample(
            "the white eraser",
            stroke("eraser", "#ffffffff", "20", wave(200, height: 60)) + stroke("eraser", "#ffffffff", pressure(16), wave(90))),
    ]

    private static let highlighters: [XournalSample] = [
        XournalSample("a highlighter", stroke("highlighter", "#ffff00ff", "19.84", wave(150))),
        XournalSample("a highlighter over itself", stroke("highlighter", "#00ff007f", "12", "30 60 270 340 30 340 270 60 30 200 280 200")),
        XournalSample(
            "two highlighters",
            stroke("highlighter", "#ffff00ff", "15", "20 200 280 200") + stroke("highlighter", "#ff00ffff", "15", "150 40 150 360")),
        XournalSample("a highlighter with pressure", stroke("highlighter", "#00c0ffff", pressure(18), wave(200))),
        XournalSample("a faintly filled highlighter", stroke("highlighter", "#ffff007f", "10", triangle, "fill=\"30\"")),
        XournalSample("a filled highlighter", stroke("highlighter", "#00ff00ff", "8.5", triangle, "fill=\"128\"")),
        XournalSample("a highlighter filled whole", stroke("highlighter", "#ff8000ff", "6", "40 60 260 90 150 330", "fill=\"255\"")),
        XournalSample(
            "a highlighter filled with nothing",
            stroke("highlighter", "#ff8000ff", "6", triangle, "fill=\"0\"") + stroke("pen", "black", "2", wave(100))),
        XournalSample("a dashed highlighter", stroke("highlighter", "#ff0000ff", "8", wave(200, height: 50), "style=\"dash\"")),
    ]

    private static let verse =
        "Amazing grace! how sweet the sound\nThat saved a wretch like me!\nI once was lost, but now am found,\nWas blind, but now I see."

    private static let texts: [XournalSample] = [
        XournalSample(
            "text of all sizes",
            text("DejaVu Sans", 6, 20, 20, "ritardando 6") + text("DejaVu Sans", 9.5, 20, 60, "a tempo 9.5")
                + text("DejaVu Sans", 18, 20, 120, "dolce 18") + text("DejaVu Sans", 40, 20, 200, "ff 40")),
        XournalSample("lines of C059", text("C059", 12, 20, 40, verse)),
        XournalSample("lines of Nimbus Sans", text("Nimbus Sans", 12, 30, 30.5, verse + "\n\n" + verse, color: "#ff0000ff")),
        XournalSample("lines of DejaVu", text("DejaVu Serif Bold", 10, 15, 50, verse, color: "#3333ccff")),
        XournalSample("lines of Z003", text("Z003 Italic", 22, 10, 100, verse)),
        XournalSample(
            "text with an alpha, blanks and signs",
            text("Sans", 14, 20, 200, "  mf  cresc.\n\n\té ä ß &lt;3 \u{266d}\u{266f}", color: "#00800040")),
        XournalSample("text beyond the page", text("Nimbus Mono PS", 30, 200, 340, verse)),
    ]

    private static let pictures: [XournalSample] = [
        XournalSample("a picture", "<image \(box(30, 40, 230, 190))>\(picture(width: 400, height: 300))</image>"),
        XournalSample(
            "a picture made larger, and one cut off",
            "<image \(box(20.3, 30.7, 270.2, 200.9))>\(picture(width: 120, height: 80))</image><image \(box(200, 320, 400, 500))>\(picture(width: 300, height: 300, isTranslucent: true))</image>"
        ),
        XournalSample(
            "mirrored pictures",
            "<image \(box(280, 40, 20, 180))>\(picture(width: 300, height: 200))</image><image \(box(40, 380, 250, 220))>\(picture(width: 300, height: 200, isTranslucent: true))</image>"
        ),
        XournalSample(
            "formulas",
            "<teximage text=\"x\" \(box(40, 50, 160, 110))>\(formula)</teximage><teximage text=\"y\" \(box(60, 200, 260, 330))>\(picture(width: 300, height: 200, isTranslucent: true))</teximage>"
        ),
    ]

    private static let pages: [XournalSample] = {
        let marks =
            stroke("pen", "red", "4", wave(60)) + text("C059", 12, 30, 100, verse) + stroke("highlighter", "yellow", "14", wave(300))
        let layers =
            stroke("pen", "#ff0000ff", "20", wave(100)) + "</layer><layer/><layer>" + text("Sans Bold", 40, 40, 80, "over it")
            + "</layer><layer name=\"three\">" + stroke("highlighter", "#00ff00ff", "30", wave(110))
            + stroke("eraser", "#ffffffff", "8", wave(105))
        var larger = XournalSample("a page larger than its PDF's", marks)
        larger.page = (420, 595.3)
        var smaller = XournalSample("a page smaller than its PDF's", marks)
        smaller.page = (280, 330)
        var turned = XournalSample("a page of a turned PDF", marks)
        turned.chart = chart(width: 400, height: 300, rotation: 90)
        var archive = XournalSample("an archive with its PDF", marks)
        archive.isArchive = true
        return [XournalSample("layers", layers), larger, smaller, turned, archive]
    }()
}
