/// Old songs in the service's form, with the habits of people who write charts.
///
/// Each line begins with a letter for what its author meant: `h` a heading, `c` chords above words, `w` words, `i` words with chords in
/// brackets, `n` a note, `x` a code without words, `-` nothing.
struct PublicDomainSong: CustomStringConvertible {
    let title: String
    let key: String
    let lines: [(mark: Character, text: String)]

    init(_ title: String, _ key: String, _ text: String) {
        (self.title, self.key) = (title, key)
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { ($0.first ?? "-", String($0.dropFirst())) }
    }

    var description: String { title }

    func text(end: String = "\n") -> String { lines.map { $0.text + end }.joined() }

    /// The words of the song and the texts in chords' places, found by the letter at the beginning of each line.
    var parts: (words: [String], chords: [String]) {
        var (words, chords): ([String], [String]) = ([], [])
        for (mark, text) in lines {
            switch mark {
            case "h", "w": words.append(Self.plain(text))
            case "c": chords.append(text)
            case "n": words.append(text.filter { $0 != "{" && $0 != "}" })
            case "i":
                let pieces = Self.plain(text).split(separator: "[", omittingEmptySubsequences: false)
                words.append(pieces[0] + pieces.dropFirst().map { $0.split(separator: "]", omittingEmptySubsequences: false)[1] }.joined())
                chords += pieces.dropFirst().map { String($0.prefix { $0 != "]" }) }
            default: break
            }
        }
        return (words, chords)
    }

    private static func plain(_ text: String) -> String {
        ["<b>", "</b>", "<i>", "</i>", "<u>", "</u>"].reduce(text) { $0.split(separator: $1, omittingEmptySubsequences: false).joined() }
    }

    static let all = [
        PublicDomainSong(
            "Amazing Grace", "G",
            """
            hVERSE 1
            iA[G]mazing grace how [C]sweet the [G]sound
            iThat saved a wretch like [D]me [D7]
            iI [G]once was lost, but [C]now am [G]found
            iWas [Em]blind but [D]now I [G]see
            -
            hVERSE 2
            i'Twas [G]grace that taught my [C]heart to [G]fear
            n{ Build }
            iAnd [G/B]grace my [C]fears re[D]lieved[G]
            """),
        PublicDomainSong(
            "Swing Low", "D",
            """
            hCHORUS:
            c      D             G      D
            wSwing low, sweet chariot,
            c D                            A7
            wComin' for to carry me home.
            -
            hVerse 1
            c  D              G            D
            wI looked over Jordan, and what did I see,
            cBm        D/A      A7  D
            wComin' for to carry me home?
            xCOLUMN_BREAK
            """),
        PublicDomainSong(
            "Molly Malone", "F",
            """
            hINTRO
            c| F | Dm | Gm7 | C7 | x2
            -
            hVERSE 1
            iIn [F]Dublin's fair [Dm]city, where the [Gm]girls are so [C]pretty
            iI [F]first set my [Am]eyes on sweet [Gm7]Molly Ma[C7]lone
            hREFRAIN
            iA[F]live, a[Dm]live, oh! <i>A[Gm]live, a[C7]live, oh!</i>
            """),
        PublicDomainSong(
            "Holy, Holy, Holy", "Eb",
            """
            hVERSE 1
            iHO[Eb]LY, [Cm]HOLY, [Bb]HO[Eb]LY
            wLORD GOD ALMIGHTY
            cAb        Eb      Bb/D  Eb   Bb
            wEARLY IN THE MORNING OUR SONG SHALL RISE TO THEE
            xTRANSPOSE KEY +1
            hFINAL CHORUS
            i[Eb]God in [Ab]three [Eb/Bb]Persons, [Bb7]blessed Trini[Eb]ty
            """),
        PublicDomainSong(
            "Stille Nacht", "B",
            """
            hSTROPHE 1
            i[H]Stille Nacht, heilige Nacht,
            i[F#]Alles schläft, [H]einsam wacht
            i[E]Nur das traute, hoch[H]heilige Paar,
            cE                     H        H7/A
            wHolder Knabe im lockigen Haar,
            n{{ langsamer }}
            i[F#7]Schlaf in himmlischer [G#m]Ruh
            """),
        PublicDomainSong(
            "Greensleeves", "Am",
            """
            hVERSE
            cAm       C         G       Em
            wAlas, my love, you do me wrong
            c(Am)      F       E E7/G#
            wTo cast me off discourteously
            hCHORUS
            c\tC\t\tG
            wGreen\tsleeves was\tall my joy
            cN.C.   Am - E7 - Am
            wGreensleeves was my delight
            """),
        PublicDomainSong(
            "Auld Lang Syne", "F#",
            """
            hVERSE 1
            iShould [Gb]auld acquain[Db]tance be forgot,
            iAnd [Gb]never [Gb7/Bb]brought to [Cb]mind?
            xREDEFINE KEY +2
            hCHORUS 2x
            iFor [Ab]auld [Eb/G]lang [Fm]syne, my [Db]dear
            xPAGE_BREAK
            """),
        PublicDomainSong(
            "Be Thou My Vision", "D",
            """
            hVERSE 1
            cD          Bm       G          D
            wBe thou my vision, O Lord of my heart
            cA          G          Bm   A
            wNaught be all else to me, save that thou art
            -
            w
            hINSTRUMENTAL
            cD . . . | G . A . | Bm . . . (hold)
            """),
        PublicDomainSong(
            "Großer Gott", "C",
            """
            hSTROPHE 1
            i[C]Großer Gott, wir [G]loben [C]dich,
            i[Am]Herr, wir [F]preisen [G7sus4]deine [G7]Stärke.
            hKEHRVERS
            i<b>Vor [C]dir</b> neigt die [F/A]Erde [C/G]sich
            """),
        PublicDomainSong(
            "Down by the Riverside", "Bb",
            """
            hVERSE 1
            iGonna [Bb]lay down my [Bbmaj7/D]burden [Bb6/9]down by the riverside
            i[F7(b9)]Down by the riverside, [Bb][Eb][Bb][F+]
            hTAG (x2)
            iAin't gonna [Eb]study [Edim7]war no [Bb/F]more [| G7 | Cm7 F7 |]
            xpage_break
            """),
        PublicDomainSong(
            "O Come, All Ye Faithful", "A",
            """
            h  PRE-CHORUS
            i[A]O come, [E/G#]all ye [F#m7]faith[D2]ful
            hCHORUS
            cA   D     A/C#     E
            wO   come let us adore him
            cBm7b5   E7sus
            w<u>Christ the Lord</u>
            x{{ COLUMN_BREAK }}
            """),
        PublicDomainSong(
            "Kumbaya", "C#",
            """
            hVERSE 1
            iKumba[C#]ya, my [F#]Lord, kumba[C#]ya [*hum]
            iKumba[C#/E#]ya, my [A#m]Lord, kumba[G#]ya
            hOUTRO
            wOh Lord, Hm hm
            c\u{A0}C#\u{A0}\u{A0}\u{A0}F#
            w🙏🏽 Kumbaya
            """),
    ]
}
