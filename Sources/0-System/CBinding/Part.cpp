// One chart's PDF with marks over its pages: each page keeps its content streams, and gets one more that paints the marks.
#include "Common.hpp"

#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFPageObjectHelper.hh>

#include <algorithm>
#include <string>
#include <vector>

namespace {

/// Counts the operators that save and restore the graphics state, since unbalanced content would move the marks.
class Balance final : public QPDFObjectHandle::TokenFilter {
public:
    int open = 0;
    bool closesTooMuch = false;

    void handleToken(const QPDFTokenizer::Token &token) override
    {
        if (token.getType() != QPDFTokenizer::tt_word) {
            return;
        }
        if (token.getValue() == "q") {
            open += 1;
        } else if (token.getValue() == "Q") {
            closesTooMuch = closesTooMuch || open == 0;
            open = std::max(open - 1, 0);
        }
    }
};

std::string text(const woodshed_matrix &matrix)
{
    char text[160];
    snprintf(text, sizeof text, "%.0f %.0f %.0f %.0f %.4f %.4f", matrix.a, matrix.b, matrix.c, matrix.d, matrix.x, matrix.y);
    return text;
}

} // namespace

struct woodshed_part {
    std::shared_ptr<QPDF> pdf;
    std::vector<QPDFPageObjectHelper> pages;
    std::shared_ptr<QPDF> sheets;
    std::vector<QPDFPageObjectHelper> sheetPages;

    /// Adds a form to a page's resources, after copying them because pages may share them; returns the form's name.
    std::string add(QPDFPageObjectHelper &page, QPDFObjectHandle form)
    {
        auto object = page.getObjectHandle();
        auto shared = page.getAttribute("/Resources", false);
        auto resources = shared.isDictionary() ? shared.shallowCopy() : QPDFObjectHandle::newDictionary();
        auto forms = resources.getKey("/XObject");
        forms = forms.isDictionary() ? forms.shallowCopy() : QPDFObjectHandle::newDictionary();
        std::string name = "/WoodshedMarks";
        for (int number = 2; forms.hasKey(name); number += 1) {
            name = "/WoodshedMarks" + std::to_string(number);
        }
        forms.replaceKey(name, form);
        resources.replaceKey("/XObject", forms);
        object.replaceKey("/Resources", resources);
        return name;
    }

    /// A sheet's page as a form. It is not a transparency group: a highlighter must be multiplied with the page, not with nothing.
    QPDFObjectHandle form(int sheet)
    {
        auto page = sheetPages.at(static_cast<size_t>(sheet));
        auto content = page.getObjectHandle().getKey("/Contents");
        if (!content.isStream()) {
            throw std::runtime_error("a sheet of marks has no content");
        }
        auto dictionary = content.getDict();
        dictionary.replaceKey("/Type", QPDFObjectHandle::newName("/XObject"));
        dictionary.replaceKey("/Subtype", QPDFObjectHandle::newName("/Form"));
        dictionary.replaceKey("/BBox", page.getMediaBox());
        dictionary.replaceKey("/Resources", page.getAttribute("/Resources", true));
        return pdf->copyForeignObject(content);
    }

    void lay(int number, const woodshed_matrix &place, int sheet)
    {
        auto &page = pages.at(static_cast<size_t>(number));
        Balance balance;
        page.filterContents(&balance);
        if (balance.closesTooMuch) {
            // The page's content would undo any state that is saved before it, so the marks could not be laid over it safely. Add them as
            // an annotation that nobody can move.
            const auto box = sheetPages.at(static_cast<size_t>(sheet)).getMediaBox().getArrayAsRectangle();
            annotate(number, place, sheet, {box.llx, box.lly, box.urx, box.ury}, "/Subtype /Stamp /F 196");
            return;
        }
        const auto marks = add(page, form(sheet));
        const auto paint = "q " + text(place) + " cm " + marks + " Do Q\n";
        std::string closing = "\nQ";
        for (int open = 0; open < balance.open; open += 1) {
            closing += " Q";
        }
        page.addPageContents(pdf->newStream("q\n"), true);
        page.addPageContents(pdf->newStream(closing + "\n" + paint), false);
    }

    void annotate(int number, const woodshed_matrix &place, int sheet, const woodshed_box &box, const std::string &entries)
    {
        auto page = pages.at(static_cast<size_t>(number)).getObjectHandle();
        auto look = form(sheet);
        look.getDict().replaceKey(
            "/BBox", QPDFObjectHandle::newFromRectangle(QPDFObjectHandle::Rectangle(box.left, box.bottom, box.right, box.top)));
        look.getDict().replaceKey("/Matrix", QPDFObjectHandle::parse("[" + text(place) + "]"));
        auto annotation = pdf->makeIndirectObject(QPDFObjectHandle::parse("<< /Type /Annot " + entries + " >>"));
        const double x = place.a * box.left + place.c * box.bottom + place.x, y = place.b * box.left + place.d * box.bottom + place.y;
        const double toX = place.a * box.right + place.c * box.top + place.x, toY = place.b * box.right + place.d * box.top + place.y;
        annotation.replaceKey(
            "/Rect",
            QPDFObjectHandle::newFromRectangle(
                QPDFObjectHandle::Rectangle(std::min(x, toX), std::min(y, toY), std::max(x, toX), std::max(y, toY))));
        auto looks = QPDFObjectHandle::newDictionary();
        looks.replaceKey("/N", look);
        annotation.replaceKey("/AP", looks);
        annotation.replaceKey("/P", page);
        // Copy the list, since pages may share one.
        auto list = page.getKey("/Annots");
        list = list.isArray() ? list.shallowCopy() : QPDFObjectHandle::newArray();
        list.appendItem(annotation);
        page.replaceKey("/Annots", list);
    }
};

QPDFPageObjectHelper &binding::page(woodshed_part *part, int number) { return part->pages.at(static_cast<size_t>(number)); }

woodshed_part *woodshed_part_open(const void *bytes, size_t count, woodshed_why *why)
{
    return binding::guarded<woodshed_part *>(why, nullptr, [&] {
        auto part = std::make_unique<woodshed_part>();
        part->pdf = binding::open(bytes, count);
        part->pages = QPDFPageDocumentHelper(*part->pdf).getAllPages();
        return part.release();
    });
}

void woodshed_part_close(woodshed_part *part) { delete part; }

int woodshed_part_pages(const woodshed_part *part) { return static_cast<int>(part->pages.size()); }

int woodshed_part_is_damaged(const woodshed_part *part) { return part->pdf->anyWarnings() ? 1 : 0; }

int woodshed_part_take_sheets(woodshed_part *part, const void *bytes, size_t count, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        part->sheets = binding::open(bytes, count);
        part->sheetPages = QPDFPageDocumentHelper(*part->sheets).getAllPages();
        return 0;
    });
}

int woodshed_part_rotation(woodshed_part *part, int page)
{
    woodshed_why why;
    return binding::guarded(&why, 0, [&] {
        auto rotate = binding::page(part, page).getAttribute("/Rotate", false);
        const int degrees = rotate.isNumber() ? static_cast<int>(rotate.getNumericValue()) : 0;
        return ((degrees % 360) + 360) % 360;
    });
}

int woodshed_part_lay(woodshed_part *part, int page, woodshed_matrix place, int sheet, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        part->lay(page, place, sheet);
        return 0;
    });
}

int woodshed_part_annotate(
    woodshed_part *part, int page, woodshed_matrix place, int sheet, woodshed_box box, const char *entries, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        part->annotate(page, place, sheet, box, entries);
        return 0;
    });
}

int woodshed_part_write(woodshed_part *part, int descriptor, woodshed_why *why)
{
    return binding::guarded(why, -1, [&] {
        binding::write(*part->pdf, descriptor, false);
        return 0;
    });
}
