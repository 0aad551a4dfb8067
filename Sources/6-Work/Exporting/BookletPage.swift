import Model
import OfflinePages
import Platform

/// A booklet's HTML page: the plan, and every page of its charts. It sends no requests to any server.
struct BookletPage {
    private typealias Chart = (name: String, images: [Booklet.Image])

    private let title: String
    private var items: [(heading: String, charts: [Chart])] = []

    init(title: String) { self.title = title }

    mutating func begin(_ heading: String) { items.append((heading, [])) }

    mutating func add(_ images: [Booklet.Image], of chart: String) { items[items.count - 1].charts.append((chart, images)) }

    /// The page as HTML; `folder` is the path of the folder of its images, with a slash at the end.
    func html(imagesIn folder: String) -> String {
        var list = ""
        var figures = ""
        var count = 0
        for item in items where !item.charts.isEmpty {
            var links: [String] = []
            for chart in item.charts {
                links.append("<a href=\"#p\(count + 1)\">\(chart.name.escaped)</a>")
                for (place, image) in chart.images.enumerated() {
                    count += 1
                    let name = "\(chart.name), page \(place + 1) of \(chart.images.count)".escaped
                    figures += """
                        <figure id="p\(count)" tabindex="-1"><img src="\(folder)\(image.name)" width="\(image.width)" \
                        height="\(image.height)" alt="\(name)" loading="lazy"></figure>

                        """
                }
            }
            list +=
                item.charts.count == 1
                ? "<li>\(links[0])</li>\n" : "<li>\(item.heading.escaped)<ul>\(links.map { "<li>\($0)</li>" }.joined())</ul></li>\n"
        }
        let script = Self.text(woodshed_offline_script(), offline_script_length)
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy(script))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="generator" content="Woodshed">
            <title>\(title.escaped)</title>
            <style>
            \(Self.text(woodshed_offline_style(), offline_style_length))</style>
            <main>
            <h1>\(title.escaped)</h1>
            <ol>
            \(list)</ol>
            <p class="quiet">Arrow keys, space, Page keys and a tap at the side turn pages; Escape and a tap in the middle come back here.</p>
            </main>
            \(figures)<script>
            \(script)</script>
            </html>

            """
    }

    /// Whatever a title contains, the browser loads only the page images and runs only this script.
    private static func policy(_ script: String) -> String {
        let sum = Base64.encode(SHA256.digest(of: "\n" + script).bytes)
        return "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; script-src 'sha256-\(sum)'"
    }

    private static func text(_ start: UnsafePointer<UInt8>, _ length: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }
}

extension String {
    /// The string escaped for HTML text and attributes.
    fileprivate var escaped: String {
        let names: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
        return unicodeScalars.map { names[$0] ?? String($0) }.joined()
    }
}
