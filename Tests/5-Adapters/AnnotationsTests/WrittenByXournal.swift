/// A file as written by Xournal++ 1.1.3, and the text of the file that it had opened.
enum WrittenByXournal {
    static let base64 = """
        H4sIAAAAAAAAA51VTXObMBC9+1do1JleMrUAuzFpjTNO7KZxmzZ26rRXGQRoLCQG5Pjj13cxjpE90Gm7ByRWaPe9p13Rv94kAr2wLOdKethuWxjlmsqACiWZ
        h6XC14NWf6NWmaQC+RmjWmUe/lU6Li6Q3bbbHYxCLtgxTBfDHs21YIPqw0D5q4RJjd6hnDEUa53mHwiJuI5Xi7avEnLIkqbVrE/KMK1+SiOG1jzQsYcdy2pb
        B8MoZjyKNWQ1vbBjQf1llKmVDJDepkAmDUIMMBLKASNd5EqsNCuhS5rAByTPXkiyyrlPhgndcRmhu4z6rL3fWSCQCkTCBKILumUZjLnO1JIhrZSADExipHMP
        A6wQkmDkK1Ho9aYD5vshhDlwcI9Y0WU1Nby2ycapXlDXmF82+G2raaFbv9AnJZFzRjFoKwp9WVaRCcEsq1eRcZqwumZqt36hKXWzmJblwj5DzK5RDnCcsNl2
        3KKStwKONaB5fArLdho0bF4wX5y/WnBqKZLXwnkdNdtoFCoJFfxEZY5ulAgAOt8BcscktjnVGW3PG6E6Husgj6neIAlbCMpf+Ay9FfpjB3oLUgMCnhS9JVio
        C93MiFql566sbDbzMDFaKK1VcuYd8Oeb77O19eUuUkOwb0/zeDyPiul98bi93Y+jK3uS7grHTTL5OrOmQ7IekeHjRfRC2Y/C/2kpxtPn6X3y89HduaPh+mE0
        3DyUYxH383Q8Gj2Ekk/3USaz+ftxtpxEUeR5fbJnd15bLKP5eUUXdqyok+6ze01V0WvouX+v6eLQThE4JgKznztWU6d36iEca46kpRbmZXppJjpepr0rM33N
        ZQq3Jw/qBDw0neCSBf9zU5Y5TSFMHQziRtvVTf/E//UHM2j9Bh/6xLQBBwAA
        """

    static let original = #"""
        <?xml version="1.0" standalone="no"?>
        <xournal creator="Xournal++ 1.1.3" fileversion="4">
        <title>Xournal++ document</title>
        <page width="200" height="400">
        <background type="pdf" domain="absolute" filename="/srv/music/Amazing Grace.pdf" pageno="1"/>
        <layer>
        <stroke tool="pen" color="#3333ccff" width="8 6 8 10">20 40 60 40 100 40 140 40</stroke>
        <stroke tool="highlighter" color="yellow" width="20">20 80 180 80</stroke>
        <stroke tool="pen" color="green" width="4" style="dash" fill="128">20 120 60 120 60 160 20 160 20 120</stroke>
        </layer>
        <layer>
        <text font="Sans Bold" size="24" x="20" y="200" color="#ff0000ff">mf
          dolce &lt;3</text>
        <image left="120" top="120" right="180" bottom="180">\#(Journal.picture)</image>
        <stroke tool="eraser" color="#ffffffff" width="10">170 60 170 100</stroke>
        <stroke tool="pen" color="magenta" width="12">100 300 100 300</stroke>
        </layer>
        </page>
        <page width="612" height="792">
        <background type="solid" color="#ffffffff" style="lined"/>
        <layer><stroke tool="pen" color="black" width="1">1 1 2 2</stroke></layer>
        </page>
        </xournal>
        """#
}
