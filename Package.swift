// swift-tools-version: 6.2
import PackageDescription

/// For builds that nobody debugs: warnings are errors, and debug information is left out. One process compiles each module, reads its
/// imports once and writes its interface itself; usually, a second process reads everything again for that. This takes a quarter off the
/// build, but each change compiles the whole module again. SwiftPM links one object per file; the number of threads makes the compiler
/// write these.
let checked: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .unsafeFlags(
        ["-gnone", "-disable-batch-mode", "-wmo", "-num-threads", "1", "-no-emit-module-separately-wmo"], .when(configuration: .debug)),
]

/// Settings of every Swift target.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        // An async function runs where its caller runs: nothing ends up on the global executor by accident.
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (Context.environment["CI"] == nil ? [] : checked)

/// Not optimised in any build. Optimising would take the compiler five times as long, for code that runs too briefly to be noticed, such
/// as settings and commands' texts. Release builds still leave out `assert`, which only helps developers.
let plain = strict + [.unsafeFlags(["-Onone", "-assert-config", "Release"], .when(configuration: .release))]

/// Code that goes through all plans, charts and images at each look, or through all that a service sends, or that somebody waits for while
/// playing. Optimised in release builds.
let busy = strict

/// Code that handles every pixel, point or byte. Optimised in every build, since the tests would spend half of their time in it.
let optimised = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// On request, builds without poppler's own classes, as for a version of poppler whose classes are unknown.
let whoseDecoders: [CXXSetting] =
    Context.environment["WOODSHED_WITHOUT_DECODERS"] == nil ? [] : [.define("WOODSHED_WITHOUT_DECODERS")]

/// A module of our own. `uses` lists our modules below it that it imports; `.ci/imports` compares the list with the imports.
func module(_ name: String, uses: [Target.Dependency] = [], _ settings: [SwiftSetting] = plain) -> Target {
    .target(name: name, dependencies: uses, swiftSettings: settings)
}

func program(_ name: String, uses: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: uses, swiftSettings: plain,
        // Overwriting memory cannot redirect calls to a library: their addresses are read-only before the program starts.
        linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"])])
}

/// A call of the C library that would write past the end of an array ends the program. Compilers check this only in optimised code.
let fortified = ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3"]

/// C code that is fuzzed tells libFuzzer where it goes, and stops at whatever the language leaves undefined. Comparisons are not told, unlike
/// in Swift: the loops over pixels would take six times as long.
let watched =
    Context.environment["WOODSHED_FUZZ"] == nil
    ? [] : ["-fsanitize-coverage=inline-8bit-counters,pc-table", "-fsanitize=undefined", "-fsanitize-trap=undefined"]

/// Tests of a module; all may use `TestSupport`.
func tests(_ name: String, uses: [Target.Dependency], _ settings: [SwiftSetting] = plain, beside files: [String] = []) -> Target {
    .testTarget(name: name, dependencies: uses + ["TestSupport"], exclude: files, swiftSettings: settings)
}

let systemLibraries: [Target] = [
    // Pages: the PDF renderer that this product is built around, and the surface that it paints on.
    .systemLibrary(name: "CPoppler", pkgConfig: "poppler-glib", providers: [.apt(["libpoppler-glib-dev"])]),
    // Scans: the same library's decoders, row by row. poppler-glib only returns whole images, which takes longer than drawing the page.
    // Nearly all scans are of two kinds, for which we have faster code of our own; it leaves anything unusual to these decoders.
    .systemLibrary(name: "CPopplerDecoders", pkgConfig: "poppler", providers: [.apt(["libpoppler-private-dev"])]),
    // Photographed pages: the JPEG decoder that poppler uses, too; but poppler feeds it byte by byte, which makes it half as fast.
    .systemLibrary(name: "CJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
    // PDFs made from other PDFs: qpdf copies pages object by object, unchanged. It repairs damaged files, decrypts, and reads every kind
    // of object table; cairo would draw every page anew.
    .systemLibrary(name: "CQPDF", pkgConfig: "libqpdf", providers: [.apt(["libqpdf-dev"])]),
    // Text marks: shaping, fallback fonts and line breaks need a library of their own.
    .systemLibrary(name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),
    // Installed fonts: text without embedded fonts is drawn with fonts that fontconfig finds, so image keys depend on its answers.
    .systemLibrary(name: "CFontconfig", pkgConfig: "fontconfig", providers: [.apt(["libfontconfig-dev"])]),
    // HTTP: connection reuse, HTTP/2, TLS and limits, driven by our loop.
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // The catalogue: transactions that survive a kill.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // The local HTTP server: keep-alive, limits and sendfile, on one thread that sleeps between requests.
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    // Watching folders. The library has no pkg-config file; Watching/Inotify works around its faults.
    .systemLibrary(name: "CInotifyTools", providers: [.apt(["libinotifytools0-dev"])]),
    // Configuration: the line and column of every node, so that errors can point to them.
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    // SHA-256, fast and trusted; content hashes and keys depend on it.
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // PNG's compression and checksums, several times faster than zlib. What browsers load becomes smaller than with zlib, too.
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    // Xournal++'s files: streaming XML, with limits on expansion; streaming gzip, so that a bomb is stopped when it has grown too large
    // (libdeflate needs the whole file in memory); and ZIP, which comes in many damaged and hostile forms.
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CZLib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    // The worker's allow-list of system calls, without hand-written filter programs.
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    // QR codes for a tablet's camera. Our own code would be a few hundred lines of arithmetic, masks and tables, and a mistake might show
    // on some cameras only. All of them have read this library's codes, and it needs nothing but the C library.
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    // An independent decoder of our images, for the tests and the benchmarks. Musicians' programs do not link it.
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
]

/// A folder of `Sources`, and its modules. A module may import modules of the folders before it and of the rows before it in its own
/// folder. The loop below enforces that.
typealias Layer = (folder: String, rows: [[Target]])

func layer(_ folder: String, _ rows: [Target]...) -> Layer { (folder, rows) }

let layers: [Layer] = [
    // Libraries and C code that do what Swift cannot do by itself.
    layer(
        "0-System",
        systemLibraries + [
            // A few lines of C for calls that Swift cannot import.
            .target(name: "CShims", cSettings: [.unsafeFlags(fortified, .when(configuration: .release))]),
            // The loops over every pixel of an image; optimised even in debug builds.
            .target(name: "CPixels", cSettings: [.unsafeFlags(["-O2"] + fortified)]),
            // Finds the music on a page: staves, systems, bars and words. It also looks at every pixel.
            .target(name: "CMusic", cSettings: [.unsafeFlags(["-O2"] + fortified + watched)]),
        ],
        [
            // Draws scanned pages from the rows of their images, in C++ like poppler's decoders; optimised for the same reason.
            .target(
                name: "CScans", dependencies: ["CPopplerDecoders", "CJPEG"],
                cxxSettings: [.unsafeFlags(["-O2"] + fortified)] + whoseDecoders),
            // Our calls to qpdf. Its interface for C cannot move the form fields and layers of pages from one PDF to another.
            .target(name: "CBinding", dependencies: ["CQPDF"], cxxSettings: [.unsafeFlags(["-O2"] + fortified)]),
        ]),
    // Files embedded in the programs. C embeds them at no cost, while a Swift literal of megabytes does not compile.
    layer(
        "1-Embedded",
        [
            // Scores for the stand-in for the service, which the demo runs.
            .target(name: "DemoScores", exclude: ["engraving", "charts", "marks", "texts"]),
            // The catalogue's schema in SQL.
            .target(name: "CatalogueShape", exclude: ["schema.sql", "parts.sql", "asked.sql", "band.sql", "songs.sql"]),
            // The viewer's browser side (HTML, CSS, JavaScript); plain files, without a build step.
            .target(name: "ViewerPages", exclude: ["assets"]),
            // The viewer's reading view.
            .target(name: "ReadingPages", exclude: ["assets"]),
            // The viewer's drawing tools, which a browser loads when somebody begins to draw.
            .target(name: "DrawingPages", exclude: ["assets"]),
            // Pages that show exported images without any program of ours.
            .target(name: "OfflinePages", exclude: ["assets"]),
            // The manual that 'woodshed help' prints.
            .target(name: "Manual", exclude: ["pages", "schema"]),
            // A scan for benchmarks.
            .target(name: "CorpusScan", dependencies: ["CJPEG"], exclude: ["scan-bilevel-600.pdf"]),
        ]),
    // The values that all other layers work with.
    layer(
        "2-Values",
        // Text that other programs wrote or are to read.
        [module("JSON", optimised)],
        [module("Model", uses: ["JSON", "CCrypto"], optimised)]),
    // Decisions and formats: which images are wanted or missing, in what order; which answers are believed; image files as bytes.
    layer(
        "3-Logic",
        [
            module("Freshness", uses: ["Model"], busy),
            module("PagePNG", uses: ["CPixels", "CDeflate", "Model"], optimised),
            // Joins the marks of several devices, files and hands into one layer.
            module("LayerJoin", uses: ["JSON", "Model"]),
            // An address as a QR code for a tablet's camera, as a picture and as text.
            module("Barcode", uses: ["CQREncode"]),
            // Which of the service's answers are believed, and from when on.
            module("Acceptance", uses: ["Model"]),
            // Words and chords as text, in any key. Optimised, since it examines every letter of a line.
            module("Songs", uses: ["Model"], optimised),
        ],
        // The musician's own sets: what the names of folders and lists say, and the plans that are made of them.
        [module("Sets", uses: ["Model", "Songs"])],
        // Where marks stand in a newer version of their chart. Optimised, since it compares everything on its pages with everything.
        [module("Following", uses: ["Model"], optimised)]),
    // The event loop, and all that it uses of the system. Modules of earlier layers cannot touch the machine.
    layer("4-Machine", [module("Platform", uses: ["CCurl", "CShims", "Model"], busy)]),
    // Each adapter deals with one part of the outside world, and imports no other adapter, except the first few.
    layer(
        "5-Adapters",
        [
            // The charts' files, the folders of links through which people open them, and which chart a file beside a link belongs to.
            module("ChartFiles", uses: ["Model", "Platform"]),
            // What the devices of a band write into the place that they share, and the interface of what transports it.
            module("BandLayout", uses: ["JSON", "Model", "Platform", "Sets"]),
        ],
        // The library's one file, in SQLite: its schema, its backups, and how it is restored.
        [
            module(
                "Catalogue", uses: ["CShims", "CSQLite", "CatalogueShape", "ChartFiles", "JSON", "Model", "Platform"], busy)
        ],
        [
            module("HTTPClient", uses: ["CCurl", "Platform"], busy),
            module("PlanningCenter", uses: ["JSON", "Model", "Platform"], busy),
            module(
                // Large because it has a store for each kind of record, and they change together in one transaction.
                "Library",
                uses: ["Acceptance", "BandLayout", "Catalogue", "ChartFiles", "JSON", "LayerJoin", "Model", "Platform", "Sets"], busy),
            // A band's place in a folder.
            module("BandFolder", uses: ["BandLayout", "Model", "Platform"]),
            // A band's place on a server.
            module("BandStorage", uses: ["BandLayout", "Model", "Platform"]),
            // How a musician grants this program access to a Nextcloud, with a browser.
            module("Nextcloud", uses: ["JSON", "Model", "Platform"]),
            // Reads the musician's own mark files. Only the formats are here, so that hostile files can be tested without an agent.
            module("Annotations", uses: ["CExpat", "CZLib", "CZip", "LayerJoin", "JSON", "Model", "Platform"], optimised),
            module("PageCache", uses: ["Model", "Platform", "PagePNG"], busy),
            module("Rendering", uses: ["CShims", "Following", "JSON", "Model", "Platform"]),
            module(
                "PageRaster", uses: ["CMusic", "CPoppler", "CPango", "CFontconfig", "CScans", "Following", "PagePNG", "Model"], optimised),
            // Pages drawn from the words and chords of songs.
            module("SongPages", uses: ["CPango", "Model", "Songs"], optimised),
            module("LocalHTTP", uses: ["CMicroHTTPD", "CShims", "Model", "Platform"], busy),
            // A module of its own, since the cache and the mark files share the only instance of inotify-tools that a process can have, and
            // neither imports the other.
            module("Watching", uses: ["CInotifyTools", "Model", "Platform"], busy),
            // The folders in which people keep the charts of their sets.
            module("SetFolders", uses: ["Model", "Platform", "Sets"]),
        ]),
    // Each module combines a few adapters, and is complete without the rest of the agent.
    layer(
        "6-Work",
        // The musician's own mark files.
        [
            module(
                "Marks",
                uses: [
                    "JSON", "Model", "Platform", "Freshness", "Catalogue", "Library", "LayerJoin", "Annotations", "Watching",
                    "ChartFiles",
                ], busy)
        ],
        // The marks and messages of the others in the band, and what this device sends them.
        [
            module(
                "Band",
                uses: ["Annotations", "BandLayout", "Catalogue", "LayerJoin", "Library", "Model", "Platform", "Sets"])
        ],
        // Keeps the images that are wanted.
        [module("ImageKeeping", uses: ["Model", "Platform", "Freshness", "Library", "Marks", "PageCache"], busy)],
        // What a chart still needs before it can be played from, worked out in one place for a running agent and for commands without one.
        [
            module(
                "Readiness",
                uses: [
                    "Model", "Platform", "Freshness", "LayerJoin", "Library", "Annotations", "PageCache", "Marks", "ImageKeeping",
                    "Catalogue",
                    "ChartFiles",
                ])
        ],
        // Plans and charts as PDFs.
        [module("Exporting", uses: ["OfflinePages", "JSON", "Model", "Platform", "ChartFiles", "Freshness", "Library", "Rendering"])],
        // Requests to the service, and what happens with the answers.
        [
            module(
                "Sync",
                uses: [
                    "Model", "Platform", "Freshness", "PlanningCenter", "Library", "Rendering", "ImageKeeping", "Readiness", "Catalogue",
                    "BandLayout", "SetFolders", "Sets",
                ], busy)
        ]),
    // The agent, which brings the parts together, and the modules beside it.
    layer(
        "7-Agent",
        [
            module(
                "Agent",
                uses: [
                    "JSON", "Model", "Platform", "Freshness", "ChartFiles", "PlanningCenter", "Catalogue", "Library", "Watching",
                    "PageCache", "Rendering", "LocalHTTP", "Marks", "ImageKeeping", "Readiness", "Exporting", "Sync", "Band",
                    "BandLayout", "Following", "Sets",
                ], busy),
            // The viewer declares what it needs from the agent, and does not import it.
            module(
                "Viewer",
                uses: [
                    "Barcode", "CDeflate", "ViewerPages", "ReadingPages", "DrawingPages", "JSON", "Model", "Platform", "LayerJoin",
                    "LocalHTTP", "Band", "Readiness", "Sets",
                ], busy),
            module("DemoService", uses: ["DemoScores", "LocalHTTP", "JSON", "Model", "Platform"]),
            module(
                "RenderWorker",
                uses: [
                    "CBinding", "CSeccomp", "CShims", "Following", "JSON", "Model", "Platform", "PagePNG", "PageRaster", "Rendering",
                    "SongPages",
                ]),
        ],
        [program("woodshed-render", uses: ["RenderWorker"])]),
    // The commands that people type.
    layer(
        "8-Commands",
        [
            // How command lines are read and answers are printed, whatever the command is.
            module("CommandLine", uses: ["JSON", "Model", "Platform"])
        ],
        [
            // Settings: their values, and where each one came from.
            module("Configuration", uses: ["CYAML", "Model", "Platform", "Library", "LocalHTTP", "Viewer", "CommandLine"])
        ],
        [
            // The process of an agent: builds it as configured, keeps it running, shows it to browsers; and how other commands reach it.
            module(
                "Host",
                uses: [
                    "CShims", "JSON", "Model", "Platform", "Freshness", "HTTPClient", "PlanningCenter", "Library", "PageCache", "Rendering",
                    "Watching", "LocalHTTP", "Agent", "Viewer", "CommandLine", "Configuration", "ImageKeeping", "Marks", "Readiness",
                    "Band", "BandFolder", "BandLayout", "BandStorage", "Sync",
                    "Catalogue", "ChartFiles", "Exporting", "LayerJoin", "Sets", "Songs",
                ], busy),
            // A home packed into one file, to be carried to another machine.
            module("Moving", uses: ["Catalogue", "ChartFiles", "CommandLine", "Configuration", "Model", "Platform"]),
        ],
        [
            module(
                // Large because it has a folder for each answer: the findings, as text and as JSON, and the command that asks for them.
                "Commands",
                uses: [
                    "Manual", "JSON", "Model", "Platform", "Freshness", "HTTPClient", "PlanningCenter", "Annotations", "Catalogue",
                    "ChartFiles",
                    "Exporting", "Following", "Library", "PageCache", "Rendering", "Agent", "Barcode", "Viewer", "CommandLine",
                    "Configuration",
                    "Band", "BandLayout", "BandStorage", "Nextcloud", "DemoService", "Host", "Moving",
                    "ImageKeeping",
                    "Marks", "Readiness", "SetFolders", "Sets", "Songs", "Sync",
                ])
        ],
        [program("woodshed", uses: ["Commands"])]),
    // Benchmarks, and what they need to run.
    layer(
        "9-Measuring",
        [
            // Charts, photographs of pages, marks and images for measuring, the same in every run. Tests use them, too.
            module(
                "BenchmarkCorpus",
                uses: ["CorpusScan", "DemoScores", "Model", "Platform", "Freshness", "PagePNG", "PageRaster"], optimised),
            // An independent decoder of our images, for the benchmarks and tests.
            module("LibPNG", uses: ["CPNG"], optimised),
            // A real browser, for the benchmarks and the tests of the viewer.
            module("WebDriver", uses: ["JSON", "HTTPClient", "Model", "Platform"]),
        ],
        [
            module(
                "Benchmarks",
                uses: [
                    "LibPNG", "JSON", "Model", "Platform", "Freshness", "HTTPClient", "LocalHTTP", "PlanningCenter", "Library", "Watching",
                    "Catalogue", "PageCache", "PageRaster", "Rendering", "Agent", "DemoService", "BenchmarkCorpus", "ImageKeeping", "Marks",
                    "Sync", "Following",
                    "Readiness", "WebDriver", "CommandLine", "Band", "BandFolder", "BandLayout",
                ], busy)
        ],
        [program("woodshed-bench", uses: ["Benchmarks"])]),
]

var below: Set<String> = []
for layer in layers {
    for row in layer.rows {
        for target in row {
            target.path = "Sources/\(layer.folder)/\(target.name)"
            for case .byNameItem(let name, _) in target.dependencies where !below.contains(name) {
                fatalError("\(target.name) may not use \(name): modules import strictly downward")
            }
        }
        below.formUnion(row.map(\.name))
    }
}

/// Programs for fuzzing, only on request, since the whole build is then instrumented for libFuzzer.
/// `WOODSHED_FUZZ=1 swift build --scratch-path .build/fuzz -Xswiftc -sanitize=fuzzer --product woodshed-fuzz`
let fuzzing: [Target] =
    Context.environment["WOODSHED_FUZZ"] == nil
    ? []
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "woodshed-fuzz",
            dependencies: [
                "CFuzzer", "CMusic", "Annotations", "CommandLine", "Configuration", "Following", "Library", "LocalHTTP", "JSON", "Model",
                "Moving", "PagePNG", "Platform", "PlanningCenter", "Rendering", "Songs", "Viewer",
            ],
            path: "Tests/Fuzz/woodshed-fuzz", swiftSettings: plain,
            // libFuzzer has a `main` of its own. lld uses the `main` that it is given.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    ]

/// The same for `Tests`: the tests of a module are in the folder of its layer, and `0-Support` has the code that they share.
let suites: [(folder: String, targets: [Target])] = [
    (
        "0-Support",
        [
            .target(
                name: "TestSupport",
                dependencies: ["LibPNG", "CSQLite", "CTestProcess", "Following", "Model", "Platform", "Rendering", "Watching"],
                swiftSettings: optimised),
            // Turns off what makes the test runner slow before it begins, and ends the test process with the runner.
            .target(name: "CTestProcess"),
            // A terminal, a clock and a home for tests of commands.
            .target(
                name: "CommandTestSupport", dependencies: ["TestSupport", "CommandLine", "Platform"],
                swiftSettings: plain),
            // The demo's stand-in for the service, with what only tests do to it.
            .target(
                name: "StandInSupport", dependencies: ["DemoService", "LocalHTTP", "JSON", "Model", "Platform"], swiftSettings: plain),
            // Reports to a test what its own process writes to disk, and when.
            .target(name: "CDiskWatch"),
            // Makes a program believe that a test's browser is on another machine.
            .target(name: "CElsewhere"),
            // Makes a program's disk slow, and kills the program between two steps of a write.
            .target(name: "CLateDisk"),
        ]
    ),
    (
        "2-Values",
        [
            tests("JSONTests", uses: ["JSON", "Model"]),
            tests("ModelTests", uses: ["JSON", "Model"]),
        ]
    ),
    (
        "3-Logic",
        [
            tests("FreshnessTests", uses: ["Model", "Freshness"]),
            tests("LayerJoinTests", uses: ["LayerJoin", "JSON", "Model"]),
            tests("AcceptanceTests", uses: ["Acceptance", "Model"]),
            tests("BarcodeTests", uses: ["Barcode", "Platform"]),
            tests("SetsTests", uses: ["Model", "Sets"]),
            tests("FollowingTests", uses: ["Following", "Model"]),
            tests("SongsTests", uses: ["Model", "Platform", "Songs"], beside: ["oracle.txt", "songs"]),
            tests("PagePNGTests", uses: ["PagePNG", "Model"], optimised),
        ]
    ),
    (
        "4-Machine",
        [
            tests("PlatformTests", uses: ["Platform", "CShims", "Model"])
        ]
    ),
    (
        "5-Adapters",
        [
            tests("BandLayoutTests", uses: ["BandLayout", "Model", "Sets"]),
            tests("HTTPClientTests", uses: ["HTTPClient", "Platform"]),
            tests("StorageServerTests", uses: ["Platform"]),
            tests("PlanningCenterTests", uses: ["PlanningCenter", "HTTPClient", "Model", "Platform", "DemoService", "StandInSupport"]),
            tests("ChartFilesTests", uses: ["ChartFiles", "Model", "Platform"]),
            tests("CatalogueTests", uses: ["Catalogue", "Model", "Platform"]),
            tests(
                "LibraryTests",
                uses: ["BandLayout", "CDiskWatch", "Catalogue", "ChartFiles", "Library", "JSON", "LayerJoin", "Model", "Platform", "Sets"]),
            tests("PageCacheTests", uses: ["PageCache", "Freshness", "PagePNG", "Model", "Platform"]),
            tests(
                "AnnotationsTests",
                uses: ["Annotations", "CShims", "CZLib", "CZip", "LayerJoin", "PageRaster", "JSON", "Model", "Platform"]),
            tests("RenderingTests", uses: ["Following", "Rendering", "JSON", "Model", "Platform", "CShims"]),
            tests(
                "PageRasterTests",
                uses: ["BenchmarkCorpus", "CMusic", "PageRaster", "PagePNG", "CPoppler", "JSON", "Model", "Platform", "DemoScores"],
                optimised),
            tests("SongPagesTests", uses: ["Model", "SongPages", "Songs"]),
            tests("LocalHTTPTests", uses: ["LocalHTTP", "Model", "Platform"]),
            tests("WatchingTests", uses: ["Watching", "Model", "Platform"]),
            tests("SetFoldersTests", uses: ["Model", "Platform", "SetFolders", "Sets"]),
            tests("BandFolderTests", uses: ["BandFolder", "BandLayout", "Model", "Platform"]),
            tests("BandStorageTests", uses: ["BandLayout", "BandStorage", "Model", "Platform"]),
            tests("NextcloudTests", uses: ["Model", "Nextcloud", "Platform"]),
        ]
    ),
    (
        "6-Work",
        [
            tests(
                "SyncTests",
                uses: [
                    "BandLayout", "Catalogue", "Freshness", "ImageKeeping", "Library", "Model", "PlanningCenter", "Platform", "Rendering",
                    "Sets",
                    "Sync",
                ]),
            // The whole way from the stand-in to the library, with everything that can fail on this way.
            tests(
                "SyncFaultTests",
                uses: [
                    "Agent", "Annotations", "CSQLite", "DemoService", "StandInSupport", "Exporting", "HTTPClient", "Catalogue", "LayerJoin",
                    "Library",
                    "Model", "PageCache",
                    "PlanningCenter", "Platform", "Rendering", "Sync",
                ]),
            tests(
                "MarksTests",
                uses: [
                    "Annotations", "LayerJoin", "Marks", "Catalogue", "Library", "Readiness", "Watching", "JSON", "Model", "Platform",
                ]),
            tests("ImageKeepingTests", uses: ["Freshness", "ImageKeeping", "Model"]),
            tests(
                "BandTests",
                uses: [
                    "Annotations", "Band", "BandFolder", "BandLayout", "BandStorage", "Catalogue", "HTTPClient", "LayerJoin", "Library",
                    "Marks",
                    "Model",
                    "Platform",
                    "Sets",
                ]),
            tests(
                "ReadinessTests",
                uses: [
                    "Readiness", "Commands", "ImageKeeping", "Marks", "Freshness", "Catalogue", "ChartFiles", "Library", "PageCache",
                    "Model", "Platform",
                ]),
        ]
    ),
    (
        "7-Agent",
        [
            tests(
                "ViewerTests", uses: ["Band", "BandLayout", "CDeflate", "Viewer", "LocalHTTP", "Model", "Platform", "Readiness", "Sets"]),
            tests("DemoServiceTests", uses: ["DemoService", "Model", "StandInSupport", "Songs", "Platform"]),
            // Tests the built `woodshed-render`, which a pool gives work.
            tests(
                "RenderWorkerTests",
                uses: ["BenchmarkCorpus", "CPango", "CPoppler", "Following", "Rendering", "Model", "Platform", "CShims"]),
            tests(
                "AgentTests",
                uses: [
                    "Agent", "Freshness", "Catalogue", "ChartFiles", "Library", "PageCache", "PlanningCenter", "Rendering",
                    "Marks", "ImageKeeping", "Readiness", "Sync", "Model", "Platform", "BandLayout", "Following",
                ]),
            // The whole agent, simulated from a seed: musician, service, machine and disk act at random.
            tests(
                "SimulationTests",
                uses: [
                    "Agent", "Annotations", "Freshness", "Catalogue", "ChartFiles", "Library", "PageCache", "PlanningCenter", "Rendering",
                    "Commands", "ImageKeeping", "Readiness", "Sets", "Sync", "Model", "Platform", "Marks",
                ]),
        ]
    ),
    (
        "8-Commands",
        [
            // Tests the built programs from outside.
            tests(
                "ProgramTests",
                uses: [
                    "Catalogue", "CommandLine", "Commands", "DemoService", "StandInSupport", "Library", "LocalHTTP", "JSON", "Model",
                    "Platform",
                ]),
            // The viewer as a musician sees it: the built agent, and a real browser.
            tests("BrowserTests", uses: ["BandLayout", "DemoService", "StandInSupport", "HTTPClient", "Platform", "Model", "WebDriver"]),
            tests("CommandLineTests", uses: ["CommandLine", "CommandTestSupport", "Model", "Platform"]),
            tests("ConfigurationTests", uses: ["CommandLine", "Configuration", "CommandTestSupport", "Model", "Platform"]),
            tests(
                "HostTests",
                uses: [
                    "Agent", "Band", "BandFolder", "BandLayout", "BandStorage", "Catalogue", "Host", "Library", "Marks", "PageCache",
                    "PlanningCenter",
                    "Rendering", "Viewer", "JSON", "Model",
                    "Platform", "CommandLine", "CommandTestSupport", "Configuration", "Following", "ImageKeeping", "Readiness", "Sync",
                ]),
            tests(
                "MovingTests",
                uses: [
                    "Catalogue", "CommandLine", "CommandTestSupport", "Configuration", "Library", "Model", "Moving", "Platform",
                ]),
            tests(
                "CommandsTests",
                uses: [
                    "Agent", "Annotations", "BandLayout", "Catalogue", "CommandLine", "Commands", "CommandTestSupport", "Configuration",
                    "DemoService", "StandInSupport", "Exporting",
                    "Host", "Library", "PageCache", "PlanningCenter", "Rendering", "JSON", "Model", "Platform", "ImageKeeping", "Sync",
                    "ChartFiles", "Freshness",
                    "Readiness", "Sets", "Songs",
                ]),
        ]
    ),
    (
        "9-Measuring",
        [
            tests("BenchmarkCorpusTests", uses: ["BenchmarkCorpus"]),
            tests(
                "BenchmarksTests",
                uses: [
                    "Agent", "BenchmarkCorpus", "Benchmarks", "DemoService", "Freshness", "ImageKeeping", "Library", "Model", "PageCache",
                    "PlanningCenter", "Platform",
                ]),
        ]
    ),
]
for suite in suites {
    for target in suite.targets { target.path = "Tests/\(suite.folder)/\(target.name)" }
}

let package = Package(
    name: "woodshed",
    products: [
        .executable(name: "woodshed", targets: ["woodshed"]),
        .executable(name: "woodshed-render", targets: ["woodshed-render"]),
        .executable(name: "woodshed-bench", targets: ["woodshed-bench"]),
        // Tests make the agent load these.
        .library(name: "elsewhere", type: .dynamic, targets: ["CElsewhere"]),
        .library(name: "latedisk", type: .dynamic, targets: ["CLateDisk"]),
    ],
    targets: layers.flatMap(\.rows).flatMap { $0 } + fuzzing + suites.flatMap(\.targets),
    // Newer headers of poppler need C++20.
    cxxLanguageStandard: .cxx20
)
